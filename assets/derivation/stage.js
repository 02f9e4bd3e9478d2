// The stage: tiles that copy, fly and are numbered, as SVG. `draw(scene, share)` puts everything where it is
// at that moment; nothing is kept from one moment to the next but what need not be written again.

import { arrange } from "./places.js";

const SVG = "http://www.w3.org/2000/svg";
export const NUM_TINTS = 8; // as in derivation.css; copies beyond begin again
const MOST_CHUNKS = 64; // of more, those of the copies that are drawn, with a cut between
const CORNERED = 30; // from this side on a tile has a second, small number
const SMALL = 20; // below this side outlines are thin
const CHUNK = 12; // pixels of a chunk's height above its copy
const LETTERS = { tp: "T", cp: "C", dp: "D", pp: "P" };

function make(parent, name, attributes = {}, text = "") {
  const made = parent.appendChild(document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== "") made.textContent = text;
  return made;
}

const rounded = (pixels) => Math.round(pixels * 10) / 10;
const between = (from, to, share) => from + (to - from) * share;
const ease = (share) => share * share * (3 - 2 * share); // slowly off, slowly in
// The share of one of many that set out one after the other.
const inTurn = (share, place, count) => {
  const late = count > 1 ? (0.45 * place) / (count - 1) : 0;
  return Math.min(Math.max((share - late) / 0.55, 0), 1);
};

export class Stage {
  constructor(parent, words) {
    this.words = words;
    this.svg = make(parent, "svg", { class: "ra-stage-picture", "aria-hidden": "true" });
    this.tileOf = new WeakMap(); // by the element that shows it
  }

  // Builds the stage for a job, a list of scenes and a width. Tiles that stay side by side on all their ways
  // are one group, a run, which moves as one.
  build(job, scenes, width, most) {
    Object.assign(this, { job, scenes });
    this.places = arrange(job, width, most);
    const { tile, height } = this.places;
    this.svg.replaceChildren();
    this.svg.classList.toggle("ra-small", tile < SMALL);
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
      this.svg.setAttribute(name, value);
    }
    this.layers = {};
    for (const name of ["labels", "endToEnd", "final", "bar", "headers", "lines", "tiles", "arcs"]) {
      this.layers[name] = make(this.svg, "g", { class: `ra-${name}` });
    }
    this.links = ["lines", "arcs"].map((name) => make(this.layers[name], "path"));
    this.hasCorners = tile >= CORNERED;
    this.buildLabels();
    this.buildFrames();
    this.buildBar(width);
    this.buildHeaders();
    this.buildTiles();
    this.lit = [];
    this.linked = [];
  }

  buildLabels() {
    const { words } = this;
    for (const { x, y, anchor, axis, text, further } of this.places.block.labels) {
      const [first, last] = text;
      const name = words(`axis.${axis}`);
      const label = further
        ? words("band.further", { axis: name, position: first })
        : first === last
          ? words("list.coordinate", { axis: name, position: first })
          : words("derive.axis_range", { axis: name, first, last: Math.min(last, this.job.shown[axis] - 1) });
      make(this.layers.labels, "text", { x, y, "text-anchor": anchor }, label);
    }
  }

  buildFrames() {
    for (const name of ["endToEnd", "final"]) {
      const { frames, hasNames } = this.places[name];
      for (const { node, x, y, width, height } of frames) {
        make(this.layers[name], "rect", { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 5 });
        const text = this.words("picture.node", { node });
        if (!hasNames) continue;
        make(this.layers[name], "text", { x: x + 1, y: y - 5 }, text.length * 6.4 < width ? text : node);
      }
    }
  }

  // The bar of tokens: chunks that are dealt to the copies from both ends.
  buildBar(width) {
    const { job, words } = this;
    const { bar } = this.layers;
    const numChunks = 2 * job.numCopies;
    const isCut = numChunks > MOST_CHUNKS;
    const dealt = isCut ? Math.min(job.copiesShown, MOST_CHUNKS / 2) : job.numCopies;
    const length = Math.min(width - 2, 760);
    const [left, top] = [(width - length) / 2, this.places.block.top + 16];
    const middle = isCut ? 120 : 0;
    const wide = (length - middle) / (2 * dealt);
    const text = job.numCopies > 1 ? words("derive.sequence", { chunks: numChunks }) : words("derive.sequence_whole");
    this.barLabel = make(bar, "text", { x: left, y: top - 5 }, text);
    this.whole = make(bar, "rect", { class: "ra-whole", x: left, y: top, width: length, height: 20, rx: 3 });
    this.chunks = [];
    if (job.numCopies === 1) return;
    for (let copy = 0; copy < dealt; copy++) {
      job.chunksOf(copy).forEach((chunk, side) => {
        const x = side === 0 ? left + copy * wide : left + length - (copy + 1) * wide;
        const group = make(bar, "g", { class: `ra-copy-${copy % NUM_TINTS}` });
        const rect = make(group, "rect", { rx: 2 });
        const label = make(group, "text", { "text-anchor": "middle" }, chunk);
        this.chunks.push({ copy, side, x, y: top, wide, group, rect, label });
      });
    }
    if (!isCut) return;
    const cut = words("derive.cut", { n: numChunks - 2 * dealt });
    this.cut = make(bar, "text", { x: left + length / 2, y: top + 14, "text-anchor": "middle" }, cut);
  }

  buildHeaders() {
    for (const { copy, x, y, lines, hasRoom } of this.places.copies.headers) {
      if (!lines) continue;
      const text = hasRoom ? this.words("derive.copy", { copy }) : copy;
      make(this.layers.headers, "text", { x, y: y - (lines === 2 ? 18 : 4) }, text);
    }
  }

  buildTiles() {
    const { job } = this;
    const { tile, gap } = this.places;
    const side = tile - gap;
    const digits = String(job.grid.worldSize - 1).length;
    const size = Math.min(tile >= 52 ? 17 : 14, Math.floor((tile - 4) / (0.58 * digits)));
    this.hasNumbers = size >= 8;
    const drop = this.hasCorners ? 2.5 : 0;
    this.layers.tiles.setAttribute("font-size", size);
    const arrangements = [...new Set(this.scenes.map(({ place }) => place))].map((place) => this.places[place].at);
    this.drawn = new Array(job.tiles.length);
    this.runOf = new Map(); // by tile
    this.runs = [];
    let run = null;
    for (const one of job.tiles) {
      const before = job.tiles[one.index - 1];
      const stays = run && before.copy === one.copy && moveAlike(arrangements, before.index, one.index, run.first.index);
      if (!stays) {
        run = { first: one, copy: one.copy, tiles: [] };
        run.group = make(this.layers.tiles, "g", { class: `ra-run ra-copy-${one.copy % NUM_TINTS}` });
        this.runs.push(run);
      }
      const [x, y] = [0, 1].map((way) => arrangements[0][one.index][way] - arrangements[0][run.first.index][way]);
      const group = make(run.group, "g", { class: "ra-tile", "data-tile": one.index });
      const rect = make(group, "rect", { x, y, width: side, height: side, rx: tile >= 16 ? 4 : 1 });
      const drawn = { one, group, shown: null };
      if (this.hasNumbers) {
        drawn.number = make(group, "text", { x: x + side / 2, y: y + side / 2 + size * 0.36 + drop, "text-anchor": "middle" });
      }
      if (this.hasCorners) drawn.corner = make(group, "text", { class: "ra-corner", x: x + 3.5, y: y + 9.5 });
      this.tileOf.set(rect, one);
      this.runOf.set(one, run);
      run.tiles.push(drawn);
      this.drawn[one.index] = drawn;
    }
  }

  // The tile under an event, or null.
  tileUnder({ target }) {
    return this.tileOf.get(target) ?? null;
  }

  // Everything as it is when `share` of a scene has passed.
  draw(scene, share) {
    const place = this.scenes.findIndex(({ name }) => name === scene.name);
    const before = this.scenes[place - 1] ?? { ...scene, name: "" };
    this.drawTiles(before, scene, share);
    this.drawLayers(scene.name, share);
    this.drawBar(scene.name, share);
    this.drawLink();
  }

  drawTiles(before, scene, share) {
    const [from, to] = [before.place, scene.place].map((name) => this.places[name].at);
    const isStill = before.place === scene.place;
    const fewCopies = this.job.copiesShown <= 16;
    this.runs.forEach((run, place) => {
      const own =
        scene.name === "copy" && fewCopies
          ? inTurn(share, run.copy, this.job.copiesShown)
          : inTurn(share, place, this.runs.length);
      const eased = ease(own);
      const [start, end] = [from, to].map((at) => at[run.first.index]);
      const x = isStill ? end[0] : between(start[0], end[0], eased);
      const y = isStill ? end[1] : between(start[1], end[1], eased);
      const transform = `translate(${rounded(x)} ${rounded(y)})`;
      if (run.transform !== transform) run.group.setAttribute("transform", (run.transform = transform));
      Object.assign(run, { x, y });
      const isBehind = run.copy > 0 && (scene.place === "block" || (scene.name === "copy" && own === 0));
      if (run.isBehind !== isBehind) run.group.classList.toggle("ra-behind", (run.isBehind = isBehind));
      const moment = own < 0.5 ? before : scene;
      this.write(run, moment.number, cornerIn(moment.name));
    });
  }

  // The numbers of a run, where they are others than before.
  write(run, number, corner) {
    const shown = `${number} ${corner}`;
    if (run.shown === shown) return;
    run.shown = shown;
    for (const { one, number: text, corner: small } of run.tiles) {
      if (text) text.textContent = one[number];
      if (small) small.textContent = corner === "copy" ? `c${one.copy}` : corner === "position" ? one.position : "";
    }
  }

  drawLayers(name, share) {
    const come = ease(Math.min(share * 2, 1));
    const go = 1 - come;
    const opacity = {
      labels: { begin: 1, split: 1, copy: go }[name] ?? 0,
      headers: { copy: come, endToEnd: go, rewind: come, insert: go * (this.job.isEndToEnd ? 0 : 1), return: come, gather: 1, check: go }[name] ?? 0,
      endToEnd: { endToEnd: come, rewind: go, insert: this.job.isEndToEnd ? go : 0 }[name] ?? 0,
      final: { insert: come, return: go, check: come }[name] ?? 0,
      bar: { split: come, copy: 1, endToEnd: go, rewind: come, insert: this.job.isEndToEnd ? 0 : go, return: come, gather: 1, check: go }[name] ?? 0,
    };
    for (const [layer, value] of Object.entries(opacity)) {
      const { style } = this.layers[layer];
      const shown = value.toFixed(2);
      if (style.opacity === shown) continue;
      style.opacity = shown;
      style.visibility = value ? "visible" : "hidden";
    }
  }

  // In step 2 the bar is cut into chunks, then each copy takes its two; above its copy they stay small.
  drawBar(name, share) {
    const isDealt = !["begin", "split"].includes(name);
    const cut = name === "split" ? ease(Math.min(Math.max((share - 0.25) / 0.5, 0), 1)) : 1;
    const dealt = name === "copy" ? ease(share) : isDealt ? 1 : 0;
    const isWhole = this.chunks.length === 0;
    this.barLabel.style.opacity = 1 - dealt;
    this.whole.style.opacity = isWhole ? 1 : 1 - cut;
    if (this.cut) this.cut.style.opacity = cut * (1 - dealt);
    const headers = this.places.copies.headers;
    for (const { copy, side, x, y, wide, group, rect, label } of this.chunks) {
      const header = headers[copy];
      const small = header?.lines === 2 && !this.cut ? Math.min((header.width - 3) / 2, 40) : 0;
      group.style.opacity = small ? cut : cut * (1 - dealt);
      const gap = wide > 6 ? 2 * cut : 0;
      const left = between(x, header ? header.x + side * (small + 3) : x, dealt);
      const top = between(y, header ? header.y - CHUNK - 3 : y, dealt);
      const width = Math.max(between(wide - gap, small || wide - gap, dealt), 0.5);
      const height = between(20, CHUNK, dealt);
      set(rect, { x: left, y: top, width, height });
      set(label, { x: left + width / 2, y: top + height / 2 + 4 });
      label.style.visibility = width >= label.textContent.length * 6.4 + 1 ? "" : "hidden";
    }
  }

  // From image to image of the tile that is looked at, where they are now: arcs within a row,
  // lines from row to row.
  drawLink() {
    const { tile, gap } = this.places;
    const side = tile - gap;
    const { at } = this.places[this.scenes[0].place];
    let [lines, arcs] = ["", ""];
    let from = null;
    for (const { one, run } of this.linked) {
      const [dx, dy] = [0, 1].map((way) => at[one.index][way] - at[run.first.index][way]);
      const to = [run.x + dx + side / 2, run.y + dy];
      if (from && Math.abs(to[1] - from[1]) > side) lines += lineBetween(from, to, side);
      else if (from) arcs += arcBetween(from, to);
      from = to;
    }
    [lines, arcs].forEach((path, place) => {
      if (this.links[place].getAttribute("d") !== path) this.links[place].setAttribute("d", path);
    });
  }

  // Lights tiles: `lit` maps what they are ("self", an axis, "image", "weights") to a list of them. `linked`
  // are tiles to draw a line through.
  light(lit, linked = []) {
    for (const { group, letter } of this.lit) {
      group.removeAttribute("data-lit");
      letter?.remove();
    }
    this.lit = [];
    for (const [kind, tiles] of Object.entries(lit)) {
      for (const one of tiles) {
        const { group, number } = this.drawn[one.index];
        group.setAttribute("data-lit", kind);
        const letter = LETTERS[kind] && number && this.hasCorners ? this.lettered(group, LETTERS[kind]) : null;
        this.lit.push({ group, letter });
      }
    }
    this.svg.classList.toggle("ra-lights", Object.keys(lit).some((kind) => LETTERS[kind]));
    this.linked = linked.map((one) => ({ one, run: this.runOf.get(one) }));
    this.drawLink();
  }

  // The letter of an axis in a lit tile's corner: colour is never alone.
  lettered(group, letter) {
    const rect = group.querySelector("rect");
    const x = +rect.getAttribute("x") + +rect.getAttribute("width") - 4;
    const y = +rect.getAttribute("y") + 9.5;
    return make(group, "text", { class: "ra-letter", x, y, "text-anchor": "end" }, letter);
  }
}

// A line to a tile in another row, below what lies between.
function lineBetween(from, to, side) {
  const ends = to[1] > from[1] ? [[from[0], from[1] + side], to] : [from, [to[0], to[1] + side]];
  return `M${ends[0].map(rounded)}L${ends[1].map(rounded)}`;
}

// A flat arc from the middle of one tile's upper edge to that of another, over what lies between.
function arcBetween(from, to) {
  const rise = 10;
  const middle = [(from[0] + to[0]) / 2, Math.min(from[1], to[1]) - rise];
  return `M${from.map(rounded)}Q${middle.map(rounded)} ${to.map(rounded)}`;
}

// Which small number tiles have at a moment: their copy once copies mix, r0 where the copies show r.
const cornerIn = (name) =>
  ({ endToEnd: "copy", insert: "copy", check: "copy", return: "position", gather: "position" })[name] ?? "";

// Whether two neighbours have, in every arrangement, the same distance as in the first, and stand side by side.
function moveAlike(arrangements, before, index, first) {
  const [x, y] = [0, 1].map((way) => arrangements[0][index][way] - arrangements[0][first][way]);
  return arrangements.every((at) => {
    const sameRow = at[before][1] === at[index][1];
    return sameRow && at[index][0] - at[first][0] === x && at[index][1] - at[first][1] === y;
  });
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const written = value.toFixed(1);
    if (element.getAttribute(name) !== written) element.setAttribute(name, written);
  }
}
