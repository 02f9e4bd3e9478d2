// What is drawn over Plotly's heatmap: frames and numbers once a picture, lit tiles on each hover.
// Plotly is not asked to redraw while the pointer moves. x grows to the right, y downwards, in pixels.

const SVG = "http://www.w3.org/2000/svg";
const GAP = 1; // a tile is drawn one pixel inside its cell, as the heatmap draws it
const LARGE = 34; // from this side on, a lit tile carries its number and a letter; smaller ones a mark
const TINY = 12; // below this side frames are drawn fainter, and rings round a tile instead of on it
const STRIPE = 6;

// Letters and marks as strokes in a unit square, drawn from its upper left corner by relative moves, so
// that one path draws all of a kind: colour is never alone.
const LETTERS = {
  tp: "h1m-.5 0v1",
  cp: "m1 0h-.7l-.3 .3v.4l.3 .3h.7",
  dp: "v1h.6l.4 -.3v-.4l-.4 -.3z",
  pp: "m0 1v-1h.7l.3 .25l-.3 .3h-.7",
};
const MARKS = {
  tp: "m0 .5h1",
  cp: "m.5 0v1",
  dp: "m.2 .2h.6v.6h-.6z",
  pp: "l1 1m-1 0l1 -1",
};
const SET_MARK = "m.5 .1l.4 .4l-.4 .4l-.4 -.4z";

function make(parent, name, attributes = {}) {
  const element = parent.appendChild(document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export class Picture {
  constructor(parent) {
    this.svg = make(parent, "svg", { class: "ra-over", "aria-hidden": "true" });
    this.patterns = make(this.svg, "defs");
    this.frames = make(this.svg, "path", { class: "ra-frames" });
    this.nodeNumbers = make(this.svg, "g", { class: "ra-node-numbers" });
    this.lit = make(this.svg, "g", { class: "ra-lit" });
    this.numbers = make(this.svg, "g", { class: "ra-numbers" });
    this.marks = make(this.svg, "g", { class: "ra-marks" });
    this.rings = make(this.svg, "g", { class: "ra-rings" });
    this.layers = new Map();
    this.self = make(this.lit, "path", { class: "ra-self" });
    this.ring = make(this.rings, "path", { class: "ra-ring" });
    this.pin = make(this.rings, "path", { class: "ra-pin" });
    this.whitened = [];
  }

  // Frames, node numbers and rank numbers for a placement.
  draw(placement, { width, height, frame, number, gpusPerNode, blockWidth, blockHeight, lights }) {
    this.placement = placement;
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      this.svg.setAttribute(key, value);
    let frames = "";
    this.nodeNumbers.replaceChildren();
    for (let first = 0; first < placement.worldSize; first += gpusPerNode) {
      const [x, y] = placement.cornerOf(first);
      const [left, top] = [x - frame + 0.5, y - frame + 0.5];
      frames += roundedRectangle(left, top, blockWidth - 1, blockHeight - 1, Math.min(frame, 6));
      if (number) {
        const label = make(this.nodeNumbers, "text", { x: left + 1, y: top - 4 });
        label.textContent = this.nodeName(first / gpusPerNode, blockWidth);
      }
    }
    this.frames.setAttribute("d", frames);
    this.svg.parentNode.classList.toggle("ra-small", placement.tile < LARGE);
    this.svg.parentNode.classList.toggle("ra-tiny", placement.tile < TINY);
    this.drawNumbers();
    this.makeLayers(lights);
  }

  // "node 12" where the block is wide enough for it, else "12".
  nodeName(node, blockWidth) {
    return blockWidth >= 60 ? this.words("picture.node", { node }) : String(node);
  }

  drawNumbers() {
    const { tile, worldSize } = this.placement;
    const digits = String(worldSize - 1).length;
    const size = Math.min(14, Math.floor((tile - 4) / (0.58 * digits)));
    this.numbers.replaceChildren();
    this.numbered = size >= 9 && tile >= 18;
    if (!this.numbered) return;
    this.numbers.setAttribute("font-size", size);
    for (let rank = 0; rank < worldSize; rank++) {
      const [x, y] = this.placement.cornerOf(rank);
      // A little below the middle on large tiles: the upper left corner is the letter's.
      const drop = tile >= LARGE ? 2.5 : 0;
      const text = make(this.numbers, "text", { x: x + tile / 2, y: y + tile / 2 + size * 0.36 + drop });
      text.textContent = rank;
    }
  }

  // One path of tiles and one of marks for each thing that can light up.
  makeLayers(lights) {
    const name = lights.map((axes) => axes.join("-")).join();
    if (this.lights === name) return;
    this.lights = name;
    for (const { tiles, marks } of this.layers.values()) [tiles, marks].forEach((path) => path.remove());
    this.layers.clear();
    this.patterns.replaceChildren();
    for (const axes of lights) {
      const key = axes.join("-");
      const tiles = make(this.lit, "path", { class: `ra-tiles ra-fill-${key}`, "data-light": key });
      if (axes.length > 1) tiles.setAttribute("fill", `url(#${this.makeStripes(axes)})`);
      const marks = make(this.marks, "path", { class: "ra-mark", "data-light": key });
      this.layers.set(key, { tiles, marks });
    }
    this.lit.append(this.self);
  }

  // Diagonal stripes in the colours of the axes of a set.
  makeStripes(axes) {
    const id = `ra-stripes-${axes.join("-")}`;
    const side = axes.length * STRIPE;
    const pattern = make(this.patterns, "pattern", {
      id, width: side, height: side, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
    });
    axes.forEach((axis, place) =>
      make(pattern, "rect", { class: `ra-fill-${axis}`, x: place * STRIPE, width: STRIPE, height: side }),
    );
    return id;
  }

  // Lights the peers of `rank`: `lit` maps each light to its ranks. null puts everything out.
  light(rank, lit) {
    this.svg.parentNode.classList.toggle("ra-is-lit", rank !== null);
    for (const text of this.whitened) text.classList.remove("ra-on", "ra-itself");
    this.whitened = [];
    for (const [key, { tiles, marks }] of this.layers) {
      const ranks = (lit?.get(key) ?? []).filter((peer) => peer !== rank);
      tiles.setAttribute("d", this.tilesPath(ranks));
      marks.setAttribute("d", this.marksPath(ranks, key));
      if (this.numbered) ranks.forEach((peer) => this.whiten(peer));
    }
    this.self.setAttribute("d", rank === null ? "" : this.tilesPath([rank]));
    if (rank !== null && this.numbered) this.whiten(rank, true);
  }

  // A number on a lit tile is white; on a small one it makes room for the mark.
  whiten(rank, itself = false) {
    const text = this.numbers.children[rank];
    text.classList.add(itself ? "ra-itself" : "ra-on");
    this.whitened.push(text);
  }

  // Rings round the rank that is pointed at and round the pinned one.
  ringRound(pointed, pinned) {
    this.ring.setAttribute("d", pointed === null ? "" : this.ringPath(pointed));
    this.pin.setAttribute("d", pinned === null ? "" : this.ringPath(pinned));
  }

  ringPath(rank) {
    const [x, y] = this.placement.cornerOf(rank);
    const around = this.placement.tile < TINY ? 2 : 0;
    const side = this.placement.tile + 2 * around;
    return `M${x - around} ${y - around}h${side}v${side}h${-side}z`;
  }

  tilesPath(ranks) {
    const side = this.placement.tile - 2 * GAP;
    let path = "";
    for (const rank of ranks) {
      const [x, y] = this.placement.cornerOf(rank);
      path += `M${x + GAP} ${y + GAP}h${side}v${side}h${-side}z`;
    }
    return path;
  }

  marksPath(ranks, key) {
    const { tile } = this.placement;
        const large = tile >= LARGE;
    const side = large ? Math.min(8, tile / 4) : Math.min((tile - 2 * GAP) * 0.5, 9);
    const inset = large ? GAP + 3.5 : (tile - side) / 2;
    const strokes = ((tile >= TINY ? LETTERS : MARKS)[key] ?? SET_MARK).replace(/-?[\d.]+/g, (n) => n * side);
    let path = "";
    for (const rank of ranks) {
      const [x, y] = this.placement.cornerOf(rank);
      path += `M${x + inset} ${y + inset}${strokes}`;
    }
    return path;
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
