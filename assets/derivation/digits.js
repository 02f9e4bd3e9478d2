// The formula, digit by digit: the number of one tile before cp, as a number in mixed radix, slowest axis
// first; and after, with the digit c at its place and every higher place value C times as large.

import { element } from "../dom.js";

export class Digits {
  constructor(parent, words) {
    this.words = words;
    this.sentence = element(parent, "p", "ra-sentence");
    this.table = element(parent, "div", "ra-digits");
  }

  // Slots for a job: before cp, with the copies end to end, or put together by its order.
  build(job, step) {
    const fastFirst = { 3: job.rest, 4: [...job.rest, "cp"], 5: job.grid.axes }[Math.min(Math.max(step, 3), 5)];
    const axes = fastFirst.filter((axis) => job.grid.sizes[axis] > 1);
    const key = JSON.stringify([axes, job.grid.sizes]);
    if (key === this.key) return;
    this.key = key;
    this.table.replaceChildren();
    this.rows = ["before", "after"].map((name) => {
      const row = element(this.table, "div", `ra-digit-row ra-${name}`);
      row.style.gridTemplateColumns = `max-content repeat(${axes.length}, minmax(0, max-content))`;
      const number = element(row, "span", "ra-digit-number");
      const slots = [...axes].reverse().map((axis) => {
        const isGap = name === "before" && axis === "cp";
        const slot = element(row, "span", isGap ? "ra-slot ra-slot-gap" : `ra-slot ra-edge-${axis}`);
        if (!isGap) {
          element(slot, "b");
          element(slot, "span", "ra-place-value");
        }
        return { axis, slot, isGap };
      });
      return { name, row, number, slots };
    });
  }

  // What is said of a tile at a step, and its digits.
  show(job, tile, step, sentence) {
    const { words } = this;
    this.build(job, step);
    write(this.sentence, sentence);
    const [before, after] = this.rows;
    after.row.style.visibility = step >= 4 ? "" : "hidden";
    after.row.hidden = job.numCopies === 1;
    write(before.number, words("derive.before", { number: tile.position }));
    write(after.number, words("derive.after", { number: step === 4 ? tile.endToEnd : tile.rank }));
    const digit = (axis) => (axis === "cp" ? tile.copy : job.without.positionOf(tile.position, axis));
    const valueAfter = (axis) => {
      if (step > 4) return job.grid.strides[axis];
      return axis === "cp" ? job.size : job.without.strides[axis];
    };
    for (const { name, slots } of this.rows) {
      for (const { axis, slot, isGap } of slots) {
        if (isGap) continue;
        const value = name === "before" ? job.without.strides[axis] : valueAfter(axis);
        write(slot.firstChild, words("derive.slot", { axis: words(`axis.${axis}`), digit: digit(axis) }));
        write(slot.lastChild, words("derive.place_value", { value }));
        slot.classList.toggle("ra-raised", name === "after" && value !== job.without.strides[axis]);
      }
    }
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
