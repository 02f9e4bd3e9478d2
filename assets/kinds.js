// The kinds of group, as layout/keys.py has them: all ranks along some axes, or what Megatron cuts out of
// such groups. A group and its number are computed when they are asked for, however large the job. Ranks
// ascend in every group, as they do in the communicator that PyTorch makes of a list.

import { Grid, Group, ListedGroup } from "./ranks.js";

// What is taken of groups along axes: `whole(index)` gives one of `numWhole`, each of `length` ranks. Of the
// kind that comes out: how many ranks a group has, how many groups there are, the one `at` an index, and
// the number of the one that holds what stands at a place of a whole group, null where none does.
const CUTS = {
  whole: ({ whole, numWhole, length }) => ({
    size: length,
    numGroups: numWhole,
    at: whole,
    numberAt: (index) => index,
  }),
  // The first and the last rank of each.
  ends: ({ whole, numWhole, length }) => ({
    size: Math.min(length, 2),
    numGroups: numWhole,
    at: (index) => {
      const { lowest, last } = whole(index);
      return new Group(lowest, [[last - lowest, Math.min(length, 2)]]);
    },
    numberAt: (index, place) => (place === 0 || place === length - 1 ? index : null),
  }),
  // The first rank of each, alone.
  first: ({ whole, numWhole }) => ({
    size: 1,
    numGroups: numWhole,
    at: (index) => new Group(whole(index).lowest, []),
    numberAt: (index, place) => (place === 0 ? index : null),
  }),
  // Runs of `below` · `size` neighbours, and of each the ranks in the same place of its runs of `below`.
  level: ({ whole, numWhole, length, below, size }) => {
    const [run, each] = [below * size, length / size];
    return {
      size,
      numGroups: numWhole * each,
      at: (index) => {
        const place = Math.floor((index % each) / below) * run + (index % below);
        return everyOf(whole(Math.floor(index / each)), place, below, size);
      },
      numberAt: (index, place) => index * each + Math.floor(place / run) * below + (place % below),
    };
  },
  // Runs of whole groups, joined.
  instance: ({ whole, numWhole, length, parts }) => {
    const run = numWhole / parts;
    return {
      size: length * run,
      numGroups: parts,
      at: (index) => {
        const { lowest, spans } = whole(index * run);
        const step = run > 1 ? whole(index * run + 1).lowest - lowest : 0;
        return new Group(lowest, [...spans, [step, run]].sort((one, other) => one[0] - other[0]));
      },
      numberAt: (index) => Math.floor(index / run),
    };
  },
};

export class Kind {
  // `axes` and `sizes` are those of the grid; along `along` go the whole groups, `cut` says what is taken of
  // them, and `numbers` what that cut has to know.
  constructor({ axes, sizes, along, cut, ...numbers }) {
    this.grid = new Grid(axes, sizes);
    this.along = along;
    const { size, numGroups, at, numberAt } = CUTS[cut]({
      whole: (index) => this.grid.groupAt(index, along),
      numWhole: this.grid.numGroups(along),
      length: this.grid.groupSize(along),
      ...numbers,
    });
    Object.assign(this, { size, numGroups, at, numberAt });
  }

  get worldSize() {
    return this.grid.worldSize;
  }

  // The number of the group that holds `rank`; null where none does.
  indexOf(rank) {
    const { grid, along } = this;
    return this.numberAt(grid.groupIndexOf(rank, along), grid.groupOf(rank, along).placeOf(rank));
  }
}

// `size` ranks of a group, from the one at `place` on, each `step` places after the one before.
function everyOf(group, place, step, size) {
  const spans = split(split(group.spans, step)?.[1], size)?.[0];
  if (spans) return new Group(group.at(place), spans);
  return new ListedGroup(Array.from({ length: size }, (_, more) => group.at(place + more * step)));
}

// Spans within a run of `size` ranks, and from run to run; null where a run ends amid a span.
function split(spans, size) {
  if (!spans) return null;
  const [within, beyond] = [[], []];
  for (const [stride, length] of spans) {
    const taken = Math.min(size, length);
    if (length % taken || size % taken) return null;
    within.push([stride, taken]);
    beyond.push([stride * taken, length / taken]);
    size /= taken;
  }
  return [within, beyond];
}
