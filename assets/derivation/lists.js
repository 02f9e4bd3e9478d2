// The groups of the final layout, side by side: CP alone while it is found, then every axis.

import { element } from "../dom.js";
import { counted } from "../text/words.js";

const AXES = ["tp", "cp", "dp", "pp"];
const MOST_RANKS = 8; // of a group that are listed; of more the first and the last ones

export class Lists {
  constructor(parent, words) {
    this.words = words;
    this.element = element(parent, "div", "ra-lists");
    this.note = element(parent, "p", "ra-lists-note", words("derive.groups_part"));
  }

  // One list for each axis: the groups that hold a tile of the picture, by number.
  build(job) {
    const { words } = this;
    this.element.replaceChildren();
    this.note.hidden = job.isWhole;
    this.job = job;
    this.columns = AXES.map((axis) => {
      const indices = [...new Set(job.tiles.map(({ rank }) => job.grid.groupIndexOf(rank, [axis])))].sort(ascending);
      const all = job.grid.numGroups([axis]);
      const column = element(this.element, "section", `ra-list ra-edge-${axis}`);
      const name = words(`axis.${axis}`);
      const heading =
        job.grid.sizes[axis] === 1
          ? words("summary.alone", { name })
          : indices.length === all
          ? words("derive.groups", { n: all, axis: name })
          : words("derive.groups_shown", { n: indices.length, axis: name, all: counted(all) });
      element(column, "h3", "ra-list-heading", heading);
      const list = element(column, "ol");
      list.setAttribute("aria-label", heading);
      list.tabIndex = 0; // a long one is scrolled
      const items = new Map();
      for (const index of indices) {
        const ranks = bracketed(job.grid.groupAt(index, [axis]));
        items.set(index, element(list, "li", "", words("derive.group", { index, ranks })));
      }
      return { axis, column, list, items, order: [...items.values()] };
    });
    this.marked = [];
    this.found = null;
  }

  // Which lists there are at a step, and how much of the CP list has been found, from 0 to 1.
  show(step, found) {
    this.element.hidden = step < 6;
    if (step < 6) return;
    this.element.classList.toggle("ra-lists-alone", step === 6);
    for (const { axis, column, order } of this.columns) {
      column.hidden = step === 6 && axis !== "cp";
      if (axis !== "cp") continue;
      const count = step === 6 ? Math.ceil(found * order.length) : order.length;
      const [from, to] = [this.found ?? 0, count].sort(ascending);
      const end = this.found === null ? order.length : to;
      for (let place = from; place < end; place++) order[place].classList.toggle("ra-unfound", place >= count);
      this.found = count;
    }
  }

  // Marks the groups of a rank, and brings them into view within their lists.
  mark(rank) {
    for (const item of this.marked) item.removeAttribute("aria-current");
    this.marked = [];
    for (const { axis, list, items } of this.columns) {
      const item = items.get(this.job.grid.groupIndexOf(rank, [axis]));
      if (!item) continue;
      item.setAttribute("aria-current", "true");
      this.marked.push(item);
      const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
      if (top < list.scrollTop) list.scrollTop = top;
      else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
    }
  }
}

const ascending = (one, other) => one - other;

// A group's ranks as a log prints them; of a long group the first ones and the last.
export function bracketed(group) {
  if (group.size <= MOST_RANKS) return `[${group.ranks().join(", ")}]`;
  return `[${[0, 1, 2].map((place) => group.at(place)).join(", ")}, …, ${group.last}]`;
}
