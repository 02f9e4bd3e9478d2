// What is drawn over and under the lit tiles as SVG: frames, numbers and labels once a look; marks and rings
// on each hover. x grows to the right, y downwards, in pixels.

import { AROUND } from "./look.js";

const SVG = "http://www.w3.org/2000/svg";
const LARGE = 34; // from this side on, a lit tile carries its number and a letter; smaller ones a mark
const LETTERED = 12; // below this side letters are marks, and rings stand round a tile instead of on it
const MARKED = 5; // below this side a run of lit tiles has one sign, larger than a tile
const MOST_MARKS = 1024; // of one light: where more tiles shine, a mark on each tells no more
const MOST_SIGNS = 64;
const CHARACTER = 6.4; // pixels of one character of a label, at most
const LINE = 15; // pixels of a line of labels, at least
const PIXELS_OF_LABEL = { left: 56, top: 16 }; // as LABEL_WIDTH and LABEL_HEIGHT in placement.py

// Letters and marks as strokes in a unit square, drawn from its upper left corner by relative moves, so
// that one path draws all of a kind: colour is never alone. What plays the part of a dense axis in the expert
// grid has that axis' letter or mark, with a line more.
const LETTERS = {
  tp: "h1m-.5 0v1",
  cp: "m1 0h-.7l-.3 .3v.4l.3 .3h.7",
  dp: "v1h.6l.4 -.3v-.4l-.4 -.3z",
  pp: "m0 1v-1h.7l.3 .25l-.3 .3h-.7",
  etp: "h1m-.5 0v.7m-.5 .35h1",
  ep: "m1 0h-1v1h1m-1 -.5h.8",
  edp: "v.7h.6l.4 -.25v-.2l-.4 -.25zm0 1.05h1",
};
const MARKS = {
  tp: "m0 .5h1",
  cp: "m.5 0v1",
  dp: "m.2 .2h.6v.6h-.6z",
  pp: "l1 1m-1 0l1 -1",
  etp: "m0 .25h1m-1 .5h1",
  ep: "m.5 .1l.45 .8h-.9z",
  edp: "m.1 .1h.8v.8h-.8zm0 .4h.8",
};
const SET_MARK = "m.5 .1l.4 .4l-.4 .4l-.4 -.4z";
// Signs where tiles are too small for marks: shapes of some pixels round a point, in the axis' colour.
const SIGNS = {
  tp: "m-5 -1.5h10v3h-10z",
  cp: "m-1.5 -5h3v10h-3z",
  dp: "m-3 -3h6v6h-6z",
  pp: "m0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z",
  etp: "m-5 -3.5h10v2.5h-10zm0 4.5h10v2.5h-10z",
  ep: "m0 -4.5l5 8.5h-10z",
  edp: "m-4 -4h8v8h-8zm2.5 2.5v3h3v-3z",
};

function make(parent, name, attributes = {}) {
  const element = parent.appendChild(document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export class Picture {
  // `below` and `above` the canvas of lit tiles: what stays, and what a hover changes.
  constructor(below, above, words) {
    this.words = words;
    this.sheets = [below, above].map((parent) => make(parent, "svg", { class: "ra-over", "aria-hidden": "true" }));
    [this.under, this.over] = this.sheets.map((svg) => make(svg, "g"));
    this.domains = make(this.under, "path", { class: "ra-domains" });
    this.frames = make(this.under, "path", { class: "ra-frames" });
    this.nodesPerDomain = 0; // 0 where no NVLink domain spans several whole nodes
    this.nodeNumbers = make(this.under, "g", { class: "ra-node-numbers" });
    this.numbers = make(this.over, "g", { class: "ra-numbers" });
    this.marks = make(this.over, "g", { class: "ra-marks" });
    this.rings = make(this.over, "g", { class: "ra-rings" });
    this.halo = make(this.rings, "path", { class: "ra-halo" });
    this.ring = make(this.rings, "path", { class: "ra-ring" });
    this.pin = make(this.rings, "path", { class: "ra-pin" });
    this.labels = make(this.sheets[1], "g", { class: "ra-labels" });
    this.layers = new Map();
    this.whitened = [];
  }

  // One path of marks for each thing that can light up.
  prepare(lights) {
    for (const path of this.layers.values()) path.remove();
    this.layers.clear();
    for (const axes of lights) {
      const key = axes.join("-");
      const path = make(this.marks, "path", { class: "ra-mark", "data-light": key });
      path.style.setProperty("--ra-axis", `var(--ra-${axes[0]})`);
      this.layers.set(key, path);
    }
  }

  // Frames, numbers and labels of what is in view. `hostOf` names a node, where the reader gave names.
  draw(look, nodeName) {
    this.look = look;
    const { placement, x, y, width, height } = look;
    for (const svg of this.sheets) {
      for (const [key, value] of Object.entries({ width, height })) svg.setAttribute(key, value);
    }
    for (const group of [this.under, this.over]) group.setAttribute("transform", `translate(${-x} ${-y})`);
    const { classList } = this.sheets[1].closest(".ra-picture");
    classList.toggle("ra-small", placement.tile < LARGE);
    classList.toggle("ra-tiny", placement.tile < LETTERED);
    classList.toggle("ra-signed", placement.tile < MARKED);
    this.drawFrames(nodeName);
    this.drawNumbers();
    this.drawLabels();
  }

  drawFrames(nodeName) {
    const { placement, x, y, width, height } = this.look;
    const { frame, number, tile, origin, seats } = placement;
    this.nodeNumbers.replaceChildren();
    this.domains.setAttribute("d", "");
    if (!frame) return this.frames.setAttribute("d", "");
    const [across, column] = placement.across;
    const [down, row] = placement.down;
    const block = [column, row].map((level) => (level.size - 1) * level.pitch + tile + 2 * frame);
    const reach = (level, from, length, size) => [
      Math.max(Math.floor((from - size) / level.pitch), 0),
      Math.min(Math.ceil((from + length) / level.pitch), level.size - 1),
    ];
    const [left, right] = reach(across, x - AROUND, width + 2 * AROUND, block[0]);
    const [top, bottom] = reach(down, y - AROUND, height + 2 * AROUND, block[1]);
    let frames = "";
    const domains = new Map(); // the first and the last place of each in its lines
    for (let line = top; line <= bottom; line++) {
      for (let place = left; place <= right; place++) {
        const node = seats.nodeOf(line * across.size + place);
        if (node === null) continue;
        const edgeX = origin[0] + place * across.pitch - frame + 0.5;
        const edgeY = origin[1] + line * down.pitch - frame + 0.5;
        frames += roundedRectangle(edgeX, edgeY, block[0] - 1, block[1] - 1, Math.min(frame, 6));
        if (this.nodesPerDomain) {
          const key = `${line} ${Math.floor(node / this.nodesPerDomain)}`;
          domains.set(key, { from: edgeX, ...domains.get(key), to: edgeX + block[0] - 1, edgeY });
        }
        if (!number) continue;
        const label = make(this.nodeNumbers, "text", { x: edgeX + 1, y: edgeY - 4 });
        label.textContent = nodeName(node, Math.floor(block[0] / CHARACTER));
      }
    }
    this.frames.setAttribute("d", frames);
    // A domain's outline runs in the gaps between nodes, round their names.
    const out = Math.max(Math.floor((across.pitch - block[0]) / 2) - 1, 0);
    let outlines = "";
    for (const { from, to, edgeY } of domains.values()) {
      const high = block[1] - 1 + number + 2 * out - (number ? out : 0);
      outlines += roundedRectangle(from - out, edgeY - (number || out), to - from + 2 * out, high, Math.min(out + 2, 8));
    }
    this.domains.setAttribute("d", outlines);
  }

  drawNumbers() {
    const { tile, seats } = this.look.placement;
    const digits = String(seats.drawn.last).length;
    const size = Math.min(14, Math.floor((tile - 4) / (0.58 * digits)));
    this.numbers.replaceChildren();
    this.texts = new Map();
    if (size < 9 || tile < 18) return;
    this.numbers.setAttribute("font-size", size);
    // A little below the middle on large tiles: the upper left corner is the letter's.
    const drop = tile >= LARGE ? 2.5 : 0;
    for (const [rank, x, y] of this.look.tiles) {
      const text = make(this.numbers, "text", { x: x + tile / 2, y: y + tile / 2 + size * 0.36 + drop });
      text.textContent = rank;
      this.texts.set(rank, text);
    }
  }

  // The labels of a picture by coordinate: a line above for each level across, a column at the left for
  // each level down, both where they are however far the picture is moved. Where not every position has
  // room for its label every second has one, or every fourth, and so on.
  drawLabels() {
    const { placement, x, y, width, height } = this.look;
    this.labels.replaceChildren();
    const [bandX, bandY] = placement.bands;
    if (!bandX && !bandY) return;
    const back = `M0 0h${width}v${bandY}h${bandX - width}v${height - bandY}h${-bandX}z`;
    make(this.labels, "path", { d: back, class: "ra-band" });
    placement.across.forEach((level, line) => {
      const at = PIXELS_OF_LABEL.top * (line + 1) - 5;
      const shown = this.labelsAlong(placement.across, line, x, width, bandX, placement.origin[0], (text) => text.length * CHARACTER + 10);
      for (const [middle, text] of shown) this.label(middle, at, "middle", text);
      const name = this.words(`axis.${level.axis}`);
      const all = this.words("band.range", { axis: name, last: level.size - 1 });
      const saysSo = shown.some(([, text]) => text.startsWith(name));
      if (bandX && !saysSo) this.label(bandX - 8, at, "end", shown.length ? name : all);
    });
    placement.down.forEach((level, column) => {
      const at = PIXELS_OF_LABEL.left * (column + 1) - 6;
      const shown = this.labelsAlong(placement.down, column, y, height, bandY, placement.origin[1], () => LINE);
      const lines = shown.map(([middle, text]) => [Math.max(middle + 4, bandY + 10), text]);
      lines.forEach(([line, text], place) => {
        const next = lines[place + 1]?.[0] ?? Infinity;
        if (next - line >= LINE - 3 && line <= height - 2) this.label(at, line, "end", text);
      });
    });
  }

  label(x, y, anchor, text) {
    make(this.labels, "text", { x, y, "text-anchor": anchor }).textContent = text;
  }

  // [middle, text] of the labels of one level that are in view; none where not even some have room.
  labelsAlong(levels, place, from, room, band, origin, needed) {
    const { grid, tile } = this.look.placement;
    const level = levels[place];
    const step = level.divisor / grid.strides[level.axis]; // positions on the axis for one digit
    const isPart = grid.sizes[level.axis] > level.size && step === 1; // counts on from a line's first
    const extent = levels.slice(place + 1).reduce((sum, inner) => sum + (inner.size - 1) * inner.pitch, tile);
    const textOf = (digit, withName) =>
      withName
        ? this.words(isPart ? "band.further" : "list.coordinate", {
            axis: this.words(`axis.${level.axis}`),
            position: digit * step,
          })
        : `${isPart ? "+" : ""}${digit * step}`;
    const isLeft = levels === this.look.placement.down;
    const named = textOf(level.size - 1, true);
    const withName = isLeft ? named.length * CHARACTER < PIXELS_OF_LABEL.left : level.pitch >= needed(named);
    let every = 1;
    while (every * level.pitch < needed(textOf(level.size - 1, withName))) every *= 2;
    if (every >= level.size && level.size > 1) return [];
    const labels = [];
    let starts = [0];
    for (const outer of levels.slice(0, place)) {
      starts = starts.flatMap((start) => Array.from({ length: outer.size }, (_, digit) => start + digit * outer.pitch));
    }
    for (const start of starts) {
      for (let digit = 0; digit < level.size; digit += every) {
        const edge = start + digit * level.pitch + origin - from;
        if (edge + extent <= band || edge >= room) continue;
        const half = isLeft ? 0 : needed(textOf(digit, withName)) / 2;
        // A block that is wider than the view has its label in the middle of what is seen of it.
        const middle = (Math.max(edge, band) + Math.min(edge + extent, room)) / 2;
        if (middle - half < band || middle + half > room) continue;
        labels.push([middle, textOf(digit, withName)]);
      }
    }
    return labels;
  }

  // Marks the lit tiles of `rank`: `lit` maps each light to its group, or null. null puts everything out.
  light(rank, lit) {
    this.sheets[1].closest(".ra-picture").classList.toggle("ra-is-lit", rank !== null);
    for (const text of this.whitened) text.classList.remove("ra-on", "ra-itself");
    this.whitened = [];
    for (const [key, path] of this.layers) {
      const group = lit?.get(key);
      path.setAttribute("d", group ? this.marksOf(group, rank, key) : "");
    }
    if (rank !== null) this.whiten(rank, true);
  }

  marksOf(group, rank, key) {
    const { placement } = this.look;
    const { tile } = placement;
    if (tile < MARKED) return this.signsOf(group, rank, key);
    const tiles = this.look.tilesOf(group).filter(([peer]) => peer !== rank);
    if (this.texts.size) tiles.forEach(([peer]) => this.whiten(peer));
    if (tiles.length > MOST_MARKS) return "";
    const large = tile >= LARGE;
    const side = large ? Math.min(8, tile / 4) : Math.min((tile - placement.gap) * 0.5, 9);
    const inset = large ? 4.5 : (tile - side) / 2;
    const strokes = ((tile >= LETTERED ? LETTERS : MARKS)[key] ?? SET_MARK).replace(/-?[\d.]+/g, (n) => n * side);
    let path = "";
    for (const [, x, y] of tiles) path += `M${x + inset} ${y + inset}${strokes}`;
    return path;
  }

  // One sign in the middle of each run, where the tiles themselves can hardly be seen.
  signsOf(group, rank, key) {
    const { placement } = this.look;
    const length = group.runLength;
    const tile = [placement.tile, placement.tall];
    if (!SIGNS[key] || group.size === 1 || group.size / length > MOST_SIGNS) return "";
    let path = "";
    group.eachRun((first) => {
      const [one, other] = [first, first + length - 1].map((member) => placement.cornerOf(member));
      if (length === 1 && first === rank) return;
      if (one[1] !== other[1]) return; // a run of several rows is an area, and seen as one
      const [x, y] = [0, 1].map((side) => (one[side] + other[side] + tile[side]) / 2);
      path += `M${x} ${y}${SIGNS[key]}`;
    });
    return path;
  }

  // A number on a lit tile is white; on a small one it makes room for the mark.
  whiten(rank, itself = false) {
    const text = this.texts.get(rank);
    if (!text) return;
    text.classList.add(itself ? "ra-itself" : "ra-on");
    this.whitened.push(text);
  }

  // Rings round the rank that is pointed at and round the pinned one; null for none.
  ringRound(pointed, pinned) {
    const [ring, pin] = [pointed, pinned].map((rank) => (rank === null ? "" : this.ringPath(rank)));
    this.ring.setAttribute("d", ring);
    this.pin.setAttribute("d", pin);
    this.halo.setAttribute("d", ring + pin);
  }

  ringPath(rank) {
    const { placement } = this.look;
    const [x, y] = placement.cornerOf(rank);
    const around = placement.tile < LETTERED ? Math.max(2, (9 - placement.tile) / 2) : 0;
    const [wide, high] = [placement.tile + 2 * around, placement.tall + 2 * around];
    return `M${x - around} ${y - around}h${wide}v${high}h${-wide}z`;
  }
}

function roundedRectangle(x, y, width, height, radius) {
  const [w, h] = [width - 2 * radius, height - 2 * radius];
  const corner = (dx, dy) => `a${radius} ${radius} 0 0 1 ${dx} ${dy}`;
  return (
    `M${x + radius} ${y}h${w}${corner(radius, radius)}v${h}${corner(-radius, radius)}` +
    `h${-w}${corner(-radius, -radius)}v${-h}${corner(radius, -radius)}z`
  );
}
