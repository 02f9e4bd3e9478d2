// Where tiles are: the levels of pages/figures/placement.py, followed for one rank and back again.

// Which rank sits where: `seatOf` and `rankIn` turn one into the other, null where nobody sits. `drawn` is
// the group of ranks that the picture shows.
export class Seats {
  constructor({ arrange, drawn, worldSize, gpusPerNode }) {
    this.drawn = drawn;
    this.gpus = Math.min(gpusPerNode, worldSize);
    if (arrange === "coordinate") this.lowest = drawn.lowest;
    else if (drawn.size === worldSize) this.lowest = 0;
    else {
      // A part by node: its nodes, one after the other, each with all its places.
      this.nodes = [];
      drawn.eachNode(this.gpus, (node) => this.nodes.push(node));
      this.blocks = new Map(this.nodes.map((node, block) => [node, block]));
    }
  }

  seatOf(rank) {
    if (!this.nodes) return rank - this.lowest;
    return this.blocks.get(Math.floor(rank / this.gpus)) * this.gpus + (rank % this.gpus);
  }

  rankIn(seat) {
    const rank = this.nodes
      ? this.nodes[Math.floor(seat / this.gpus)] * this.gpus + (seat % this.gpus)
      : seat + this.lowest;
    return this.drawn.includes(rank) ? rank : null;
  }

  // The node of a block, or null beyond the last.
  nodeOf(block) {
    if (this.nodes) return this.nodes[block] ?? null;
    return block * this.gpus <= this.drawn.last ? block : null;
  }
}

const AROUND = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]];

export class Placement {
  constructor(geometry, seats) {
    Object.assign(this, geometry);
    this.seats = seats;
    [this.across, this.down] = [geometry.across, geometry.down].map((levels) =>
      levels.map(([modulo, divisor, size, pitch, axis]) => ({ modulo, divisor, size, pitch, axis })),
    );
  }

  cornerOf(rank) {
    return this.cornerIn(this.seats.seatOf(rank));
  }

  // The left and top edge of the tile in a seat.
  cornerIn(seat) {
    return [this.leftIn(seat), this.topIn(seat)];
  }

  leftIn(seat) {
    return along(this.across, seat) + this.origin[0];
  }

  topIn(seat) {
    return along(this.down, seat) + this.origin[1];
  }

  // The rank whose tile holds the point (x, y), or null between the tiles.
  rankAt(x, y) {
    const column = digits(this.across, x - this.origin[0], this.tile);
    const row = digits(this.down, y - this.origin[1], this.tall);
    if (!column || !row) return null;
    const rank = this.seats.rankIn(column.seat + row.seat);
    if (rank === null) return null;
    // The last of several lines may be short: a point beyond its end is no tile's.
    const corner = this.cornerOf(rank);
    return corner[0] === this.origin[0] + column.edge && corner[1] === this.origin[1] + row.edge ? rank : null;
  }

  // A rank whose tile is at most `reach` pixels from the point (x, y), a near one first; null if there is none.
  near(x, y, reach) {
    for (let away = 0; away <= reach; away += Math.max(this.tile / 2, 1)) {
      for (const [dx, dy] of AROUND) {
        const rank = this.rankAt(x + dx * away, y + dy * away);
        if (rank !== null) return rank;
      }
    }
    return null;
  }

  nearest(x, y) {
    return this.near(x, y, this.width + this.height) ?? this.seats.drawn.lowest;
  }

  // The tile above (-1) or below (+1) in the same column, or the rank itself at the picture's edge.
  inColumn(rank, direction) {
    const [x, y] = this.cornerOf(rank);
    const rows = this.rows;
    for (let row = rows.indexOf(y) + direction; row >= 0 && row < rows.length; row += direction) {
      const other = this.rankAt(x, rows[row]);
      if (other !== null) return other;
    }
    return rank;
  }

  // The left edges of all columns of tiles, and the top edges of all rows, ascending.
  get columns() {
    return (this.knownColumns ??= edges(this.across).map((edge) => edge + this.origin[0]));
  }

  get rows() {
    return (this.knownRows ??= edges(this.down).map((edge) => edge + this.origin[1]));
  }

  // How many tiles from this seat on stand side by side, up to `most`: a run of ranks is painted as one.
  inOneRow(seat, most) {
    const level = this.across.at(-1);
    if (level?.divisor !== 1) return 1;
    const within = seat % level.modulo;
    return Math.min(most, level.size - (within % level.size), level.modulo - within);
  }
}

function along(levels, seat) {
  let edge = 0;
  for (const { modulo, divisor, size, pitch } of levels) {
    edge += (Math.floor((seat % modulo) / divisor) % size) * pitch;
  }
  return edge;
}

// The other way: which digits lead to the tile at `offset`, as their part of the seat and as its edge; null
// between tiles.
function digits(levels, offset, tile) {
  let seat = 0;
  let edge = 0;
  for (const { divisor, size, pitch } of levels) {
    const digit = Math.floor((offset - edge) / pitch);
    if (digit < 0 || digit >= size) return null;
    seat += digit * divisor;
    edge += digit * pitch;
  }
  return offset >= edge && offset < edge + tile ? { seat, edge } : null;
}

function edges(levels) {
  let found = [0];
  for (const { size, pitch } of levels) {
    found = found.flatMap((edge) => Array.from({ length: size }, (_, digit) => edge + digit * pitch));
  }
  return found;
}
