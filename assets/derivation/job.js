// The tiles of the derivation: one for each position of the job without CP, in every copy, with the numbers
// that it has on the way. The same arithmetic as layout/copies.py and layout/excerpt.py.

import { Grid } from "../ranks.js";

export class Job {
  // axes: names from fastest to slowest; sizes: their degrees; shown: how many positions of each are drawn.
  constructor({ axes, sizes, shown, gpusPerNode }) {
    const rest = axes.filter((axis) => axis !== "cp");
    this.grid = new Grid(axes, sizes);
    this.without = new Grid(rest, rest.map((axis) => this.grid.sizes[axis]));
    this.shown = Object.fromEntries(axes.map((axis, place) => [axis, shown[place]]));
    this.gpusPerNode = Math.min(gpusPerNode, this.grid.worldSize);
    this.rest = rest;
    this.numCopies = this.grid.sizes.cp;
    this.stride = this.grid.strides.cp;
    this.size = this.without.worldSize; // N0
    this.copiesShown = this.shown.cp;
    this.placesShown = rest.reduce((count, axis) => count * this.shown[axis], 1);
    this.isWhole = this.copiesShown * this.placesShown === this.grid.worldSize;
    this.isEndToEnd = this.stride * this.numCopies === this.grid.worldSize; // cp is slowest
    this.tiles = [];
    for (let copy = 0; copy < this.copiesShown; copy++) {
      for (let place = 0; place < this.placesShown; place++) this.tiles.push(this.tileAt(copy, place));
    }
    this.byRank = new Map(this.tiles.map((tile) => [tile.rank, tile]));
  }

  // The tile at a place, counted from 0 among the positions that are drawn, of a copy.
  tileAt(copy, place) {
    let [position, rest] = [0, place];
    for (const axis of this.rest) {
      position += (rest % this.shown[axis]) * this.without.strides[axis];
      rest = Math.floor(rest / this.shown[axis]);
    }
    return {
      index: copy * this.placesShown + place,
      copy,
      place,
      position, // r0
      endToEnd: copy * this.size + position,
      rank: this.rankOf(copy, position),
    };
  }

  // r = (r0 // s)·s·C + c·s + (r0 mod s)
  rankOf(copy, position) {
    const { stride, numCopies } = this;
    return Math.floor(position / stride) * stride * numCopies + copy * stride + (position % stride);
  }

  // The tiles at the same position in every copy that is drawn.
  imagesOf(tile) {
    return Array.from(
      { length: this.copiesShown },
      (_, copy) => this.tiles[copy * this.placesShown + tile.place],
    );
  }

  // The tiles of one copy that hold the dense weights together with `tile`.
  weightCopyOf(tile) {
    const group = this.without.groupOf(tile.position, ["tp", "pp"]);
    const first = tile.index - tile.place;
    return this.tiles
      .slice(first, first + this.placesShown)
      .filter(({ position }) => group.includes(position));
  }

  // The tile that is looked at while the reader points at none: copy 1, and digits 1, 0, 1, from the fastest
  // axis on, so that the number has something in every place that can show it.
  get example() {
    let [place, step, digit] = [0, 1, 1];
    for (const axis of this.rest) {
      if (this.shown[axis] > 1) {
        place += digit * step;
        digit = 1 - digit;
      }
      step *= this.shown[axis];
    }
    return this.tiles[Math.min(1, this.copiesShown - 1) * this.placesShown + place];
  }

  // The two chunks of every sequence that a copy works on.
  chunksOf(copy) {
    return [copy, 2 * this.numCopies - 1 - copy];
  }
}
