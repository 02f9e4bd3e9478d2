// Plotly's heatmap of tiles: the server's figure where the whole picture is in view, and of a closer look
// the part in view and a margin around it, cut out of the same cells.

import { AROUND } from "./look.js";

const NO_TILE = -1; // the cells between blocks

export class Plot {
  constructor(parent) {
    this.parent = parent;
    this.showing = null;
  }

  // A new figure of the server's, and the placement that it was drawn for.
  prepare(Plotly, figure, fit) {
    Object.assign(this, { Plotly, figure, fit, cells: null, showing: null });
  }

  // Draws what `view` shows of `placement`; resolves when it is drawn.
  async show(placement, view, size) {
    const wanted = this.cut(placement, view, size);
    const [left, top] = [wanted.left - view.x, wanted.top - view.y];
    if (this.showing?.name !== wanted.name) {
      this.showing = wanted;
      const { data, layout } = placement === this.fit ? this.figure : this.cropped(placement, wanted);
      await this.Plotly.react(this.parent, data, layout, { staticPlot: true });
      if (this.showing !== wanted) return; // overtaken
    }
    this.parent.style.transform = `translate(${left}px, ${top}px)`;
  }

  // The part to draw: the present one while it holds what is in view, so that panning redraws seldom.
  cut(placement, { x, y }, [width, height]) {
    if (placement === this.fit) return { name: "fit", left: 0, top: 0 };
    const within = (edge, length, from, to) => edge >= from && edge + length <= to;
    const known = this.showing;
    if (
      known?.placement === placement &&
      within(x, Math.min(width, placement.width - x), known.left, known.right) &&
      within(y, Math.min(height, placement.height - y), known.top, known.bottom)
    )
      return known;
    const left = Math.max(x - AROUND, 0);
    const top = Math.max(y - AROUND, 0);
    const right = Math.min(x + width + AROUND, placement.width);
    const bottom = Math.min(y + height + AROUND, placement.height);
    return { name: [placement.tile, left, top, right, bottom].join(), placement, left, top, right, bottom };
  }

  // A figure like the server's with only the tiles in a part of a closer look.
  cropped(placement, { left, top, right, bottom }) {
    const [heatmap] = this.figure.data;
    const columns = inside(placement.columns, left, right, placement.tile);
    const rows = inside(placement.rows, top, bottom, placement.tall);
    this.cells ??= new Cells(heatmap, this.fit);
    const x = cellEdges(placement.columns, columns, placement.tile);
    const y = cellEdges(placement.rows, rows, placement.tall);
    const z = y.tiles.map((row) => {
      if (row === null) return new Array(x.tiles.length).fill(NO_TILE);
      return x.tiles.map((column) => (column === null ? NO_TILE : this.cells.at(column, row)));
    });
    const { layout } = this.figure;
    const [width, height] = [right - left, bottom - top];
    return {
      data: [{ ...heatmap, x: x.edges, y: y.edges, z, xgap: placement.gap, ygap: placement.gap }],
      layout: {
        ...layout,
        width,
        height,
        xaxis: { ...layout.xaxis, range: [left, right] },
        yaxis: { ...layout.yaxis, range: [bottom, top] },
      },
    };
  }

  // The cell's value of a rank, as the server's figure has it: its shade.
  shadeOf(rank) {
    this.cells ??= new Cells(this.figure.data[0], this.fit);
    const [x, y] = this.fit.cornerOf(rank);
    return this.cells.atCorner(x, y);
  }

  close() {
    this.Plotly?.purge(this.parent);
  }
}

// The cells of the server's figure, found by the number of a column and a row of tiles.
class Cells {
  constructor({ x, y, z }, fit) {
    this.values = typed(z);
    [this.columnAt, this.rowAt] = [typed(x), typed(y)].map(
      (edges) => new Map(Array.from(edges, (edge, cell) => [edge, cell])),
    );
    this.numColumns = this.columnAt.size - 1;
    this.fit = fit;
  }

  at(column, row) {
    return this.atCorner(this.fit.columns[column], this.fit.rows[row]);
  }

  atCorner(x, y) {
    return this.values[this.rowAt.get(y) * this.numColumns + this.columnAt.get(x)];
  }
}

const KINDS = { i1: Int8Array, i2: Int16Array, i4: Int32Array };

// Plotly's form of an array on the wire, {dtype, bdata, shape}, as the array itself.
function typed({ dtype, bdata }) {
  const bytes = Uint8Array.from(atob(bdata), (character) => character.charCodeAt(0));
  return new KINDS[dtype](bytes.buffer);
}

// The first and last place of the tiles that reach into [from, to), by their near edges.
function inside(edges, from, to, tile) {
  const first = edges.findIndex((edge) => edge + tile > from);
  const last = edges.findLastIndex((edge) => edge < to);
  return { first, last };
}

// The edges of the cells that a run of tiles makes, and which tile each cell is; null between tiles.
function cellEdges(corners, { first, last }, tile) {
  const edges = [];
  const tiles = [];
  for (let place = first; place <= last; place++) {
    if (edges.length && corners[place] > edges.at(-1)) {
      tiles.push(null);
      edges.push(corners[place]);
    }
    if (!edges.length) edges.push(corners[place]);
    tiles.push(place);
    edges.push(corners[place] + tile);
  }
  return { edges, tiles };
}
