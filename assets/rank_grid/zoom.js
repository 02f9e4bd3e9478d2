// How close the reader looks, and where: one of the server's placements, and how far it is moved. Everything
// keeps inside the picture's frame; a closer look keeps the point under the pointer where it is.

import { Look } from "./look.js";

export class Zoom {
  constructor() {
    this.placements = [];
    this.level = 0;
    this.x = this.y = 0;
  }

  // New placements for a frame of this size. What was in the middle stays there, as large as it was.
  prepare(placements, width, height) {
    const middle = this.level > 0 ? this.placement.nearest(this.x + this.width / 2, this.y + this.height / 2) : null;
    const tile = this.placement?.tile;
    Object.assign(this, { placements, width, height, level: 0, x: 0, y: 0 });
    if (middle === null) return;
    const level = placements.findLastIndex((placement) => placement.tile <= tile);
    const { drawn } = this.placement.seats;
    const rank = drawn.includes(middle) ? middle : drawn.at(Math.min(middle, drawn.size - 1));
    this.level = Math.max(level, 0);
    this.centre(rank);
  }

  get placement() {
    return this.placements[this.level];
  }

  get look() {
    const known = this.knownLook;
    const { placement, x, y, width, height } = this;
    if (known?.placement === placement && known.x === x && known.y === y && known.width === width) return known;
    return (this.knownLook = new Look(placement, x, y, width, height));
  }

  get canComeCloser() {
    return this.level < this.placements.length - 1;
  }

  get isFit() {
    return this.level === 0;
  }

  // Whether a move by (dx, dy) would move anything.
  canMove(dx, dy) {
    const [x, y] = this.clamped(this.x + dx, this.y + dy);
    return x !== this.x || y !== this.y;
  }

  // Whether more of the picture lies beyond the frame.
  get isMovable() {
    return this.placement.width > this.width || this.placement.height > this.height;
  }

  move(dx, dy) {
    [this.x, this.y] = this.clamped(this.x + dx, this.y + dy);
  }

  // Goes to another level and keeps the tile nearest to the frame's point (x, y) under it.
  step(levels, x = this.width / 2, y = this.height / 2) {
    const level = Math.min(Math.max(this.level + levels, 0), this.placements.length - 1);
    if (level === this.level) return;
    const before = this.placement;
    const rank = before.nearest(this.x + x, this.y + y);
    const [left, top] = before.cornerOf(rank);
    const [within, below] = [(this.x + x - left) / before.tile, (this.y + y - top) / before.tall];
    this.level = level;
    const { placement } = this;
    const [newLeft, newTop] = placement.cornerOf(rank);
    [this.x, this.y] = this.clamped(
      newLeft + within * placement.tile - x,
      newTop + below * placement.tall - y,
    );
  }

  // The level whose tiles are nearest to `times` the present size.
  levelAt(times) {
    const wanted = this.placement.tile * times;
    const off = (placement) => Math.abs(Math.log(placement.tile / wanted));
    return this.placements.reduce((best, p, level) => (off(p) < off(this.placements[best]) ? level : best), 0);
  }

  fit() {
    Object.assign(this, { level: 0, x: 0, y: 0 });
  }

  // Puts a rank's tile in the middle, as far as the picture's edge allows.
  centre(rank) {
    const { placement, width, height } = this;
    const [x, y] = placement.cornerOf(rank);
    [this.x, this.y] = this.clamped(x + (placement.tile - width) / 2, y + (placement.tile - height) / 2);
  }

  // Moves as little as brings a rank's tile wholly into view.
  show(rank) {
    const { placement, width, height } = this;
    const [x, y] = placement.cornerOf(rank);
    const [bandX, bandY] = placement.bands;
    const around = Math.min(placement.tile, 40);
    const near = (at, edge, length, band) =>
      Math.max(Math.min(at, edge - around - band), edge + placement.tile + around - length);
    [this.x, this.y] = this.clamped(near(this.x, x, width, bandX), near(this.y, y, height, bandY));
  }

  clamped(x, y) {
    const { placement, width, height } = this;
    const within = (at, length, room) => Math.round(Math.min(Math.max(at, 0), Math.max(length - room, 0)));
    return [within(x, placement.width, width), within(y, placement.height, height)];
  }
}
