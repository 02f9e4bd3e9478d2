// A list too long for a cell, in full: a button that opens it, and a place of its own to scroll in.
//
// It is written in pieces, as many as fit a frame, so that a list of a million ranks keeps no one waiting;
// and a piece out of sight costs no layout (content-visibility in group_table.css).

import { element } from "../dom.js";

const ITEMS_IN_PIECE = 2048;
const FRAME_MS = 8;

// Puts the button and, below it, the list at the end of `cell`. `full` is what columns.js says; `named` is
// the button's name where it is heard without the row around it.
export function longList(cell, full, { named, separator, id }) {
  const button = element(cell, "button", "ra-table-open", full.label);
  Object.assign(button, { type: "button", ariaLabel: named, ariaExpanded: "false" });
  button.setAttribute("aria-controls", id);
  const list = element(cell, "div", "ra-table-list");
  Object.assign(list, { id, role: "region", tabIndex: 0, ariaLabel: named, hidden: true });
  button.addEventListener("click", () => {
    list.hidden = !list.hidden;
    button.ariaExpanded = String(!list.hidden);
    if (!list.firstChild) write(list, full, separator);
  });
}

function write(list, { size, at }, separator) {
  let done = 0;
  list.ariaBusy = "true";
  const some = () => {
    if (done > 0 && !list.isConnected) return; // the table shows other groups by now
    const begun = performance.now();
    while (done < size && performance.now() - begun < FRAME_MS) {
      const length = Math.min(ITEMS_IN_PIECE, size - done);
      const items = Array.from({ length }, (_, place) => at(done + place)).join(separator);
      done += length;
      element(list, "div", "ra-table-piece", done < size ? items + separator : items);
    }
    if (done < size) requestAnimationFrame(some);
    else list.ariaBusy = "false";
  };
  some();
}
