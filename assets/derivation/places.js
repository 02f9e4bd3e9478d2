// Where the tiles stand: as one block, as copies side by side, and in the order of their numbers, node by
// node. x grows to the right, y downwards, in pixels. All arrangements have tiles of one size, the largest
// with which each fits, so that a tile on its way from one to another only moves.

const LARGEST = 60;
const SMALLEST = 4;
const LABELLED = 18; // from this side on, nodes and copies have their names above them
const LINE = 16; // pixels of a line of labels
const CHARACTER = 6.4; // pixels of one character of a label, at most
const SIDE = 44; // pixels of a column of labels
const BAR = 46; // pixels for the bar of tokens, above the block
const BETWEEN_COPIES = 20;

// The arrangements of a job in `width` pixels, at most `most` pixels high if that can be:
// { tile, gap, height, block, copies, endToEnd, final }. Each of the four has `at`, the corner of every tile.
export function arrange(job, width, most) {
  const shapes = shapesOf(job);
  const even = shapes.filter(({ isRagged }) => !isRagged);
  // In the order of preference: without lines of which the last is shorter, and with nodes' names.
  const ways = [[even, true], [shapes, true], [even, false], [shapes, false]].map(([some, hasNames]) =>
    largest(job, some, hasNames, width, most),
  );
  const best = Math.max(...ways.map((way) => way?.tile ?? 0));
  return ways.find((way) => way && way.tile >= 0.7 * best);
}

function largest(job, shapes, hasNames, width, most) {
  for (let tile = LARGEST; tile > SMALLEST; tile--) {
    const found = arranged(job, shapes, hasNames, tile, width, most);
    if (found) return found;
  }
  return arranged(job, shapes, hasNames, SMALLEST, width, Infinity);
}

function arranged(job, shapes, hasNames, tile, width, most) {
  const copies = best(job, shapes, tile, width, most);
  if (!copies) return null;
  const [endToEnd, final] = ["endToEnd", "rank"].map((number) => byNode(job, number, hasNames, tile, width, most));
  const all = [copies.block, copies, endToEnd, final];
  const height = Math.max(...all.map((arrangement) => arrangement.height));
  if (height > most || all.some((arrangement) => arrangement.width > width)) return null;
  for (const arrangement of all) centre(arrangement, width, height);
  return { tile, gap: tile >= 16 ? 3 : tile >= 8 ? 2 : 1, height, block: copies.block, copies, endToEnd, final };
}

// Moves an arrangement into the middle of the stage.
function centre(arrangement, width, height) {
  const dx = Math.floor((width - arrangement.width) / 2);
  const dy = Math.floor((height - arrangement.height) / 2);
  for (const corner of arrangement.at) {
    corner[0] += dx;
    corner[1] += dy;
  }
  for (const list of [arrangement.frames, arrangement.labels, arrangement.headers]) {
    for (const thing of list ?? []) {
      thing.x += dx;
      thing.y += dy;
    }
  }
  arrangement.left = dx;
  arrangement.top = dy;
}

// The shape of a block that leaves the copies the most pleasing: all fast axes across, all slow ones down,
// and one, where across meets down, perhaps in lines of some of its positions.
function best(job, shapes, tile, width, most) {
  let found = null;
  for (const shape of shapes) {
    const block = new Block(job, shape, tile);
    const copies = copiesOf(job, block, tile, width);
    if (!copies || copies.height > most) continue;
    const longSided = Math.abs(Math.log(block.width / block.height / 1.6));
    const cost = longSided + (copies.rows > 1 ? 0.4 : 0) + copies.height / 2000;
    if (!found || cost < found.cost) found = { cost, copies, block };
  }
  if (!found) return null;
  const { copies, block } = found;
  copies.block = alone(job, block);
  return copies;
}

function shapesOf(job) {
  const split = job.rest.filter((axis) => job.shown[axis] > 1);
  if (!split.length) return [{ split, boundary: 0, inLine: 1, isRagged: false }];
  return split.flatMap((axis, boundary) => {
    const size = job.shown[axis];
    return lines(size).map((inLine) => ({ split, boundary, inLine, isRagged: size % inLine > 0 }));
  });
}

// How many positions of an axis to try in a line: what divides it, else about one in two, three, and so on.
function lines(size) {
  const all = Array.from({ length: size }, (_, before) => before + 1);
  const even = all.filter((count) => size % count === 0);
  if (even.length > 2 || size <= 3) return even;
  return [...new Set(all.map((parts) => Math.ceil(size / parts)))];
}

// One copy: its tiles in rows, with gaps where a faster axis begins anew.
class Block {
  constructor(job, { split, boundary, inLine }, tile) {
    const gap = tile >= 20 ? 6 : tile >= 10 ? 4 : 2;
    this.levels = { across: [], down: [] };
    let step = 1; // places of the block for one position on the axis
    const add = (levels, axis, divisor, count, perDigit) => {
      const inner = levels.reduce((sum, level) => sum + (level.size - 1) * level.pitch, tile);
      const pitch = inner + (levels.length ? gap * levels.length : 0);
      const modulo = step * job.shown[axis];
      levels.push({ axis, divisor, modulo, size: count, pitch, extent: inner, perDigit });
    };
    split.forEach((axis, place) => {
      const size = job.shown[axis];
      const across = place < boundary ? size : place === boundary ? inLine : 1;
      if (across > 1) add(this.levels.across, axis, step, across, 1);
      if (across < size) add(this.levels.down, axis, step * across, Math.ceil(size / across), across);
      step *= size;
    });
    const extent = (levels) => levels.reduce((sum, level) => sum + (level.size - 1) * level.pitch, tile);
    this.width = extent(this.levels.across);
    this.height = extent(this.levels.down);
  }

  cornerOf(place) {
    const along = (levels) =>
      levels.reduce(
        (edge, { divisor, modulo, size, pitch }) => edge + (Math.floor((place % modulo) / divisor) % size) * pitch,
        0,
      );
    return [along(this.levels.across), along(this.levels.down)];
  }
}

// One block in the middle, with its axes labelled above and at the left, below the bar of tokens. Every copy
// stands there: those but the first wait behind it.
function alone(job, block) {
  const { across, down } = block.levels;
  const left = SIDE * down.length;
  const top = BAR + LINE * across.length;
  const labels = [];
  across.forEach((level, place) => {
    // Where the axis goes on in further lines, a column has no one position on it.
    const further = level.size < job.shown[level.axis];
    labelsOf(level, across.slice(place + 1), "across").forEach(({ at, text, middle }) => {
      const y = top - LINE * (place + 1) + 11;
      labels.push({ x: left + at + middle, y, anchor: "middle", axis: level.axis, text, further });
    });
  });
  down.forEach((level, place) => {
    labelsOf(level, down.slice(place + 1), "down").forEach(({ at, text, middle }) => {
      labels.push({ x: left - SIDE * place - 8, y: top + at + middle + 4, anchor: "end", axis: level.axis, text });
    });
  });
  return {
    at: job.tiles.map(({ place }) => block.cornerOf(place).map((edge, side) => edge + [left, top][side])),
    labels,
    width: left + block.width + left, // the block itself is in the middle
    height: top + block.height,
  };
}

// What to write along one level: [first, last] positions of each of its digits, at each start of the outer
// levels; every second, fourth, … where not all have room.
function labelsOf(level, outer, direction) {
  let starts = [0];
  for (const { size, pitch } of outer) {
    starts = starts.flatMap((start) => Array.from({ length: size }, (_, digit) => start + digit * pitch));
  }
  const { perDigit, size } = level;
  const textOf = (digit) => [digit * perDigit, digit * perDigit + perDigit - 1];
  const longest = String(size * perDigit - 1).length * (perDigit > 1 ? 2 : 1) + 4;
  const needed = direction === "across" ? longest * CHARACTER : LINE - 3;
  let every = 1;
  while (every * level.pitch < needed && every < size) every *= 2;
  if (every >= size && size > 1) return [];
  const labels = [];
  for (const start of starts) {
    for (let digit = 0; digit < size; digit += every) {
      labels.push({ at: start + digit * level.pitch, middle: level.extent / 2, text: textOf(digit) });
    }
  }
  return labels;
}

// All copies, side by side and in as few rows as can be; null where one is wider than the stage.
function copiesOf(job, block, tile, width) {
  const count = job.copiesShown;
  const between = tile >= 12 ? BETWEEN_COPIES : 8;
  const most = Math.floor((width + between) / (block.width + between));
  if (most < 1) return null;
  const rows = Math.ceil(count / most);
  const columns = Math.ceil(count / rows);
  const lastName = String(count - 1).length * CHARACTER;
  const hasNames = tile >= 8 && lastName <= block.width;
  const header = !hasNames ? 4 : tile >= LABELLED ? 30 : LINE;
  const corner = (copy) => [
    (copy % columns) * (block.width + between),
    Math.floor(copy / columns) * (header + block.height + 12) + header,
  ];
  return {
    rows,
    at: job.tiles.map(({ copy, place }) => {
      const [x, y] = block.cornerOf(place);
      return [corner(copy)[0] + x, corner(copy)[1] + y];
    }),
    headers: Array.from({ length: count }, (_, copy) => ({
      copy,
      x: corner(copy)[0],
      y: corner(copy)[1],
      width: block.width,
      lines: header >= 30 ? 2 : header >= LINE ? 1 : 0,
      hasRoom: lastName + 5 * CHARACTER <= block.width, // for the word "copy" too
    })),
    width: columns * (block.width + between) - between,
    height: rows * (header + block.height + 12) - 12,
  };
}

// All tiles in the ascending order of a number, node by node, as in the Explorer. Of a part each node keeps
// its drawn ranks, one after the other.
function byNode(job, number, hasNames, tile, width, height) {
  const sorted = [...job.tiles].sort((one, other) => one[number] - other[number]);
  const nodes = new Map();
  for (const one of sorted) {
    const node = Math.floor(one[number] / job.gpusPerNode);
    if (!nodes.has(node)) nodes.set(node, []);
    nodes.get(node).push(one);
  }
  const most = job.isWhole ? job.gpusPerNode : Math.max(...[...nodes.values()].map((ranks) => ranks.length));
  const { frame, between, name } = spacing(tile, hasNames);
  const columns = columnsOf(most);
  const rows = Math.ceil(most / columns);
  const [wide, high] = [columns * tile + 2 * frame, rows * tile + 2 * frame];
  const fitting = Math.max(Math.floor((width + between) / (wide + between)), 1);
  const heightOf = (across) => Math.ceil(nodes.size / across) * (name + high + between) - between;
  const even = evenly(nodes.size, fitting);
  const across = heightOf(even) <= height ? even : Math.min(fitting, nodes.size);
  const at = [];
  const frames = [];
  [...nodes].forEach(([node, ranks], block) => {
    const x = (block % across) * (wide + between);
    const y = Math.floor(block / across) * (name + high + between) + name;
    frames.push({ node, x, y, width: wide, height: high });
    ranks.forEach((one, seat) => {
      at[one.index] = [x + frame + (seat % columns) * tile, y + frame + Math.floor(seat / columns) * tile];
    });
  });
  return { at, frames, hasNames: name > 0, width: across * (wide + between) - between, height: heightOf(across) };
}

// The space round a node's tiles, between nodes, and above one for its name: less with smaller tiles.
function spacing(tile, hasNames) {
  if (tile >= LABELLED && hasNames) return { frame: 6, between: 12, name: 18 };
  if (tile >= 10) return { frame: 3, between: 5, name: 0 };
  return { frame: 2, between: 2, name: 0 };
}

// How many tiles stand in a row of a node: all up to 8, then some four times as many as rows; as
// _block_columns in pages/figures/placement.py.
function columnsOf(gpus) {
  if (gpus <= 8) return gpus;
  const widest = 2 * Math.floor(Math.sqrt(gpus));
  for (let columns = widest + 2; columns >= Math.floor(widest / 2); columns--) {
    if (gpus % columns === 0) return columns;
  }
  return widest;
}

// How many of `count` stand in a row: as many as fit, but a number that fills every row if one is near.
function evenly(count, fitting) {
  const most = Math.min(fitting, count);
  for (let across = most; 2 * across > most; across--) if (count % across === 0) return across;
  return most;
}
