// What is in view: a placement, how far it is moved under the picture's frame, and the tiles that show.

const SMALL = 5; // pixels: a tile below this side is hard to hit
export const AROUND = 160; // pixels around the frame that count as in view, so that a drag uncovers what is drawn

export class Look {
  constructor(placement, x, y, width, height) {
    Object.assign(this, { placement, x, y, width, height });
  }

  // A tile's corner in the picture's frame.
  cornerOf(rank) {
    const [x, y] = this.placement.cornerOf(rank);
    return [x - this.x, y - this.y];
  }

  // The rank under a point of the frame, or null. Tiles of a few pixels are hit a little beside as well.
  rankAt(x, y) {
    return this.placement.near(x + this.x, y + this.y, this.placement.tile < SMALL ? SMALL / 2 : 0);
  }

  // First and last place of the edges whose tiles reach into the frame, or near it.
  inReach(edges, from, length) {
    const { tall } = this.placement;
    const first = edges.findIndex((edge) => edge + tall > from - AROUND);
    return [first, edges.findLastIndex((edge) => edge < from + length + AROUND)];
  }

  // Every tile in view as [rank, x, y], its corner in the placement's pixels.
  get tiles() {
    return (this.known ??= this.list());
  }

  list() {
    const { placement } = this;
    const { columns, rows } = placement;
    const [left, right] = this.inReach(columns, this.x, this.width);
    const [top, bottom] = this.inReach(rows, this.y, this.height);
    const tiles = [];
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const rank = placement.rankAt(columns[column], rows[row]);
        if (rank !== null) tiles.push([rank, columns[column], rows[row]]);
      }
    }
    return tiles;
  }

  // The tiles in view of a group: of a group larger than the view, by asking each tile in view.
  tilesOf(group) {
    if (group.size > 1000 && group.size > this.tiles.length) return this.tiles.filter(([rank]) => group.includes(rank));
    const tiles = [];
    const [left, top] = [this.x - AROUND, this.y - AROUND];
    const [right, bottom] = [this.x + this.width + AROUND, this.y + this.height + AROUND];
    const length = group.runLength;
    group.eachRun((first) => {
      for (let rank = first; rank < first + length; rank++) {
        const [x, y] = this.placement.cornerOf(rank);
        if (x > left && x < right && y > top && y < bottom) tiles.push([rank, x, y]);
      }
    });
    return tiles;
  }
}
