// Ranks, coordinates and groups in the browser: the same arithmetic as layout/grid.py, so that hovering
// and paging need no server. A test compares the two on thousands of ranks.

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

  // The rank that stands at `position` on `axis` and elsewhere where `rank` stands.
  moved(rank, axis, position) {
    return rank + (position - this.positionOf(rank, axis)) * this.strides[axis];
  }

  groupSize(axes) {
    return axes.reduce((size, axis) => size * this.sizes[axis], 1);
  }

  numGroups(axes) {
    return this.worldSize / this.groupSize(axes);
  }

  // The ranks that differ from `rank` only along `axes`, itself included.
  groupOf(rank, axes) {
    const inside = this.axes.filter((axis) => axes.includes(axis));
    const lowest = inside.reduce((low, axis) => this.moved(low, axis, 0), rank);
    return new Group(lowest, inside.map((axis) => [this.strides[axis], this.sizes[axis]]));
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

  // The group along `axes` with this number.
  groupAt(index, axes) {
    let lowest = 0;
    for (const axis of this.axes) {
      if (axes.includes(axis)) continue;
      lowest += (index % this.sizes[axis]) * this.strides[axis];
      index = Math.floor(index / this.sizes[axis]);
    }
    return this.groupOf(lowest, axes);
  }

  // The axes on which two ranks differ.
  differing(one, other) {
    return this.axes.filter((axis) => this.positionOf(one, axis) !== this.positionOf(other, axis));
  }
}

// Ranks in ascending order without a list of them, because a group may hold 131,072: the lowest one, and
// spans of [stride, size], the fastest first.
export class Group {
  constructor(lowest, spans) {
    this.lowest = lowest;
    // A span that goes on where the one before it ends is one with it: 4 steps of 1, 2 of 4 are 8 of 1.
    this.spans = [];
    for (const [stride, size] of spans) {
      if (size === 1) continue;
      const last = this.spans.at(-1);
      if (last && last[0] * last[1] === stride) last[1] *= size;
      else this.spans.push([stride, size]);
    }
    this.size = this.spans.reduce((size, span) => size * span[1], 1);
  }

  // The rank at a place, counted from 0, ascending.
  at(place) {
    let rank = this.lowest;
    for (const [stride, size] of this.spans) {
      rank += (place % size) * stride;
      place = Math.floor(place / size);
    }
    return rank;
  }

  get last() {
    return this.at(this.size - 1);
  }

  // The step from each rank to the next where it is the same for all, else null; null for a lone rank.
  get step() {
    return this.spans.length === 1 ? this.spans[0][0] : null;
  }

  // How many ranks follow each other without a gap, again and again.
  get runLength() {
    return this.spans[0]?.[0] === 1 ? this.spans[0][1] : 1;
  }

  // Calls `take(first)` for each run of `runLength` ranks, ascending.
  eachRun(take) {
    const spans = this.runLength > 1 ? this.spans.slice(1) : this.spans;
    const along = (low, level) => {
      if (level < 0) return take(low);
      const [stride, size] = spans[level];
      for (let position = 0; position < size; position++) along(low + position * stride, level - 1);
    };
    along(this.lowest, spans.length - 1);
  }

  // Every rank, as a list.
  ranks() {
    return Array.from({ length: this.size }, (_, place) => this.at(place));
  }

  // The place of a rank, counted from 0; -1 for a rank that is not in the group.
  placeOf(rank) {
    let rest = rank - this.lowest;
    if (rest < 0) return -1;
    let place = 0;
    let before = this.size;
    for (let level = this.spans.length - 1; level >= 0; level--) {
      const [stride, size] = this.spans[level];
      const position = Math.min(Math.floor(rest / stride), size - 1);
      before /= size;
      place += position * before;
      rest -= position * stride;
    }
    return rest === 0 ? place : -1;
  }

  includes(rank) {
    return this.placeOf(rank) >= 0;
  }

  // The numbers of the nodes it touches, ascending, with `gpusPerNode` consecutive ranks on each.
  eachNode(gpusPerNode, take) {
    const length = this.runLength;
    let last = -1;
    this.eachRun((first) => {
      const end = Math.floor((first + length - 1) / gpusPerNode);
      for (let node = Math.max(Math.floor(first / gpusPerNode), last + 1); node <= end; node++) take((last = node));
    });
  }

  // How many nodes it touches. Slow spans that step from node to node are not walked through: what the rest
  // touches is touched again at each of their steps, on other nodes.
  numNodes(gpusPerNode) {
    const rest = new Group(this.lowest, this.spans);
    let times = 1;
    while (rest.spans.length && rest.spans.at(-1)[0] % gpusPerNode === 0) {
      const [stride, size] = rest.spans.pop();
      rest.size /= size;
      const [first, last] = [rest.lowest, rest.last].map((rank) => Math.floor(rank / gpusPerNode));
      if (last - first >= stride / gpusPerNode) return this.countNodes(gpusPerNode); // two steps share a node
      times *= size;
    }
    return times * rest.countNodes(gpusPerNode);
  }

  countNodes(gpusPerNode) {
    const length = this.runLength;
    let count = 0;
    let last = -1;
    this.eachRun((first) => {
      const start = Math.max(Math.floor(first / gpusPerNode), last + 1);
      const end = Math.floor((first + length - 1) / gpusPerNode);
      if (end < start) return;
      count += end - start + 1;
      last = end;
    });
    return count;
  }
}

// Ascending ranks of which no spans tell, by a list of them.
export class ListedGroup extends Group {
  constructor(list) {
    super(list[0], []);
    this.list = list;
    this.size = list.length;
  }

  at(place) {
    return this.list[place];
  }

  get step() {
    if (this.size === 1) return null;
    const step = this.list[1] - this.list[0];
    return this.list.every((rank, place) => place === 0 || rank - this.list[place - 1] === step) ? step : null;
  }

  get runLength() {
    return 1;
  }

  eachRun(take) {
    for (const rank of this.list) take(rank);
  }

  placeOf(rank) {
    return this.list.indexOf(rank);
  }

  numNodes(gpusPerNode) {
    return this.countNodes(gpusPerNode);
  }
}
