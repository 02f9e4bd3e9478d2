// Lit tiles, painted on a canvas over the heatmap: a group of 131,072 ranks is a few thousand rectangles, a
// run of neighbours one each, and none of them an element of the page.

const SEPARATE = 7; // from this side on each tile of a run is painted by itself, as the heatmap shows it
const STRIPE = 6; // pixels, of a set's stripes

export class Tiles {
  constructor(parent) {
    this.canvas = parent.appendChild(document.createElement("canvas"));
    this.canvas.className = "ra-lit";
    this.canvas.setAttribute("aria-hidden", "true");
    this.context = this.canvas.getContext("2d");
  }

  // A new picture: its size on the page in pixels, and the colours by their names.
  prepare(width, height, colours) {
    Object.assign(this, { width, height, colours, stripes: null });
    this.density = window.devicePixelRatio || 1;
    const [across, down] = [width, height].map((side) => Math.max(Math.round(side * this.density), 1));
    if (this.canvas.width !== across || this.canvas.height !== down) {
      Object.assign(this.canvas, { width: across, height: down });
      Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    }
  }

  // `lit`: for each light its key and the group it lights, or null. `view` is the picture's part in view.
  paint(lit, itself, placement, view) {
    const { context, density } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(density, 0, 0, density, -view.x * density, -view.y * density);
    for (const [key, group] of lit) {
      if (!group) continue;
      const axes = key.split("-");
      context.fillStyle = this.colours[axes[0]];
      this.fill(group, placement, view);
      if (axes.length === 1) continue;
      context.globalCompositeOperation = "source-in"; // only what has just been painted is striped
      context.drawImage(this.stripesOf(axes), view.x, view.y, this.width, this.height);
      context.globalCompositeOperation = "source-over";
    }
    if (itself === null) return;
    const [x, y] = placement.cornerOf(itself);
    const inset = insetOf(placement);
    context.clearRect(x, y, placement.tile, placement.tall);
    context.fillStyle = this.colours.self;
    context.fillRect(x + inset, y + inset, placement.tile - placement.gap, placement.tall - placement.gap);
  }

  fill(group, placement, view) {
    const { context } = this;
    const { tile, tall, gap, seats } = placement;
    const inset = insetOf(placement);
    const [wide, high] = [tile - gap, tall - gap];
    const [left, top, right, bottom] = [view.x - tile, view.y - tall, view.x + this.width, view.y + this.height];
    const length = group.runLength;
    const columns = new Map(); // for each left edge the rectangle that may still grow downwards
    const paint = ({ x, y, width, height }) => context.fillRect(x, y, width, height);
    group.eachRun((first) => {
      for (let done = 0; done < length; ) {
        const seat = seats.seatOf(first + done);
        const x = placement.leftIn(seat);
        const y = placement.topIn(seat);
        const count = length === 1 ? 1 : placement.inOneRow(seat, length - done);
        done += count;
        if (y <= top || y >= bottom || x >= right || x + (count - 1) * tile <= left) continue;
        if (tile >= SEPARATE) {
          for (let at = 0; at < count; at++) context.fillRect(x + at * tile + inset, y + inset, wide, high);
          continue;
        }
        const width = count * tile - gap;
        const above = columns.get(x);
        if (above && above.width === width && above.y + above.height === y + inset) {
          above.height += high;
          continue;
        }
        if (above) paint(above);
        columns.set(x, { x: x + inset, y: y + inset, width, height: high });
      }
    });
    for (const rectangle of columns.values()) paint(rectangle);
  }

  // The whole canvas in diagonal stripes of the colours of a set's axes: made once a picture.
  stripesOf(axes) {
    const name = axes.join("-");
    if (this.stripes?.name === name) return this.stripes.cloth;
    const cloth = document.createElement("canvas");
    Object.assign(cloth, { width: this.canvas.width, height: this.canvas.height });
    const thread = cloth.getContext("2d");
    const breadth = STRIPE * Math.SQRT2 * this.density; // of a stripe, measured along an edge
    for (let start = -cloth.height, place = 0; start < cloth.width; start += breadth, place++) {
      thread.fillStyle = this.colours[axes[place % axes.length]];
      thread.beginPath();
      thread.moveTo(start, 0);
      thread.lineTo(start + breadth + 0.5, 0);
      thread.lineTo(start + breadth + 0.5 + cloth.height, cloth.height);
      thread.lineTo(start + cloth.height, cloth.height);
      thread.fill();
    }
    this.stripes = { name, cloth };
    return cloth;
  }
}

// How far inside its cell a tile is painted: as the heatmap does it.
const insetOf = ({ gap }) => Math.floor(gap / 2);
