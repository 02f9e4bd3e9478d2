// A change of order: a tile is a coordinate, and the rank that stands there is another one now.

// Whether `now` has the axes of `before`, each of the same size, in another order.
export function isReordered(before, now) {
  const alike = before?.axes.every((axis) => before.sizes[axis] === now.sizes[axis]);
  return Boolean(alike) && before.axes.join() !== now.axes.join();
}

// A placement as the order `now` names its tiles: each where its coordinate was in the order `before`.
export function asItWas(placement, before, now) {
  const rankBefore = (rank) =>
    now.axes.reduce((sum, axis) => sum + now.positionOf(rank, axis) * before.strides[axis], 0);
  return { tile: placement.tile, cornerOf: (rank) => placement.cornerOf(rankBefore(rank)) };
}
