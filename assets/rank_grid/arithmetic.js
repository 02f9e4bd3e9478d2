// Ranks, coordinates and groups in the browser: the same arithmetic as layout/grid.py, so that hovering
// needs no server. A test compares the two on thousands of ranks.

export class Grid {
  // axes: names from fastest to slowest; sizes: how many ways each splits the job.
  constructor(axes, sizes) {
    this.axes = axes;
    this.sizes = Object.fromEntries(axes.map((axis, place) => [axis, sizes[place]]));
    this.strides = {};
    let stride = 1;
    for (const axis of axes) {
      this.strides[axis] = stride;
      stride *= this.sizes[axis];
    }
    this.worldSize = stride;
  }

  positionOf(rank, axis) {
    return Math.floor(rank / this.strides[axis]) % this.sizes[axis];
  }

  coordinateOf(rank) {
    return Object.fromEntries(this.axes.map((axis) => [axis, this.positionOf(rank, axis)]));
  }

  groupSize(axes) {
    return axes.reduce((size, axis) => size * this.sizes[axis], 1);
  }

  // The ranks that differ from `rank` only along `axes`, ascending, itself included.
  groupOf(rank, axes) {
    const inside = this.axes.filter((axis) => axes.includes(axis));
    let group = [inside.reduce((low, axis) => low - this.positionOf(rank, axis) * this.strides[axis], rank)];
    for (const axis of inside) {
      const smaller = group;
      group = new Array(smaller.length * this.sizes[axis]);
      for (let position = 0, place = 0; position < this.sizes[axis]; position++) {
        for (const low of smaller) group[place++] = low + position * this.strides[axis];
      }
    }
    return group;
  }

  // The group's number, counted from 0 in the order in which Megatron creates the groups.
  groupIndexOf(rank, axes) {
    let index = 0;
    let stride = 1;
    for (const axis of this.axes) {
      if (axes.includes(axis)) continue;
      index += this.positionOf(rank, axis) * stride;
      stride *= this.sizes[axis];
    }
    return index;
  }

  // The axes on which two ranks differ.
  differing(one, other) {
    return this.axes.filter((axis) => this.positionOf(one, axis) !== this.positionOf(other, axis));
  }
}

// How many nodes ascending ranks touch, with `gpusPerNode` consecutive ranks on each.
export function nodesSpanned(ranks, gpusPerNode) {
  let nodes = 0;
  let last = -1;
  for (const rank of ranks) {
    const node = Math.floor(rank / gpusPerNode);
    if (node !== last) nodes++;
    last = node;
  }
  return nodes;
}

// Where tiles are: the steps of pages/figures/placement.py, followed for one rank.
export class Placement {
  constructor({ steps, origin, tile, worldSize }) {
    Object.assign(this, { steps, origin, tile, worldSize });
  }

  cornerOf(rank) {
    let [x, y] = this.origin;
    for (const [modulo, divisor, dx, dy] of this.steps) {
      const count = Math.floor((rank % modulo) / divisor);
      x += count * dx;
      y += count * dy;
    }
    return [x, y];
  }

  // A table from a pixel's tile to its rank, made once a picture: rankAt then costs two look-ups.
  index(width, height) {
    const columns = new Map();
    const rows = new Map();
    this.columnAt = new Int32Array(width).fill(-1);
    this.rowAt = new Int32Array(height).fill(-1);
    const place = (edge, known, at) => {
      if (!known.has(edge)) {
        at.fill(known.size, edge, edge + this.tile);
        known.set(edge, known.size);
      }
      return known.get(edge);
    };
    const cells = [];
    for (let rank = 0; rank < this.worldSize; rank++) {
      const [x, y] = this.cornerOf(rank);
      cells.push([place(x, columns, this.columnAt), place(y, rows, this.rowAt)]);
    }
    this.numColumns = columns.size;
    this.ranks = new Int32Array(columns.size * rows.size).fill(-1);
    cells.forEach(([column, row], rank) => (this.ranks[row * columns.size + column] = rank));
  }

  // The rank whose tile holds the point (x, y), or null between the tiles.
  rankAt(x, y) {
    const column = this.columnAt[Math.floor(x)] ?? -1;
    const row = this.rowAt[Math.floor(y)] ?? -1;
    const rank = column < 0 || row < 0 ? -1 : this.ranks[row * this.numColumns + column];
    return rank < 0 ? null : rank;
  }

  // The tile above (-1) or below (+1) in the same column, or the rank itself at the picture's edge.
  inColumn(rank, direction) {
    const [x, y] = this.cornerOf(rank);
    const column = this.columnAt[x];
    const numRows = this.ranks.length / this.numColumns;
    for (let row = this.rowAt[y] + direction; row >= 0 && row < numRows; row += direction) {
      const other = this.ranks[row * this.numColumns + column];
      if (other >= 0) return other;
    }
    return rank;
  }
}
