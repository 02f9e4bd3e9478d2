// Tiles on their way from one arrangement to the other: pixels of one canvas, so that 131,072 tiles glide as
// smoothly as 16. Readers who asked for less motion see none.

const DURATION_MS = 200;

export class Glide {
  // `shadeOf(rank)` gives a rank's colour as "#RRGGBB".
  constructor(parent, { from, to, ranks, colourOf, width, height }) {
    this.canvas = parent.appendChild(document.createElement("canvas"));
    Object.assign(this.canvas, { width, height, className: "ra-glide" });
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    [this.from, this.to] = [from, to];
    const count = ranks.size;
    this.starts = new Float32Array(2 * count);
    this.ways = new Float32Array(2 * count);
    this.colours = new Uint32Array(count);
    for (let place = 0; place < count; place++) {
      const rank = ranks.at(place);
      const [x, y] = from.cornerOf(rank);
      const [u, v] = to.cornerOf(rank);
      this.starts.set([x, y], 2 * place);
      this.ways.set([u - x, v - y], 2 * place);
      this.colours[place] = pixelOf(colourOf(rank));
    }
    this.draw(0);
  }

  // Runs from where the tiles were to where they are; resolves when they are there.
  run() {
    return new Promise((resolve) => {
      const begun = performance.now();
      const frame = (now) => {
        const share = Math.min(Math.max((now - begun) / DURATION_MS, 0), 1);
        this.draw(share * share * (3 - 2 * share)); // slowly off, slowly in
        if (share < 1) return requestAnimationFrame(frame);
        this.canvas.remove();
        resolve();
      };
      requestAnimationFrame(frame);
    });
  }

  draw(share) {
    const { starts, ways, colours, pixels, from, to } = this;
    const { width, height } = this.canvas;
    const sideNow = Math.round(from.tile + (to.tile - from.tile) * share);
    const gap = sideNow >= 7 ? 2 : sideNow >= 5 ? 1 : 0;
    const side = Math.max(sideNow - gap, 1);
    pixels.fill(0);
    for (let place = 0; place < colours.length; place++) {
      const x = Math.round(starts[2 * place] + ways[2 * place] * share);
      const y = Math.round(starts[2 * place + 1] + ways[2 * place + 1] * share);
      const [left, right] = [Math.max(x, 0), Math.min(x + side, width)];
      if (left >= right) continue;
      for (let line = Math.max(y, 0); line < Math.min(y + side, height); line++) {
        pixels.fill(colours[place], line * width + left, line * width + right);
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }
}

// "#RRGGBB" as a pixel: red in the lowest byte, opaque.
function pixelOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export const wantsMotion = () => !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
