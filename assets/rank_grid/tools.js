// The buttons under the picture that look closer and move about.

import { element } from "../dom.js";

// For each its name in the catalogue, its sign, what it does to the view, and whether it can.
const TOOLS = [
  ["closer", "+", (view) => view.comeCloser(+1), (zoom) => zoom.canComeCloser],
  ["farther", "−", (view) => view.comeCloser(-1), (zoom) => !zoom.isFit],
  ["whole", "⤢", (view) => view.fit(), (zoom) => !zoom.isFit],
  ["left", "←", (view) => view.pan(-view.zoom.width / 2, 0), (zoom) => zoom.canMove(-1, 0)],
  ["right", "→", (view) => view.pan(view.zoom.width / 2, 0), (zoom) => zoom.canMove(1, 0)],
  ["up", "↑", (view) => view.pan(0, -view.zoom.height / 2), (zoom) => zoom.canMove(0, -1)],
  ["down", "↓", (view) => view.pan(0, view.zoom.height / 2), (zoom) => zoom.canMove(0, 1)],
];

export class Tools {
  constructor(toolbar, view, words) {
    this.toolbar = toolbar;
    toolbar.setAttribute("role", "toolbar");
    toolbar.setAttribute("aria-label", words("tools.name"));
    this.buttons = TOOLS.map(([name, sign, act, can]) => {
      const button = element(toolbar, "button", "ra-tool", sign);
      Object.assign(button, { type: "button", title: words(`tools.${name}`) });
      button.setAttribute("aria-label", button.title);
      // Not `disabled`, which would take the focus from a button that has just led to the end.
      button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || act(view));
      return [button, can];
    });
    element(toolbar, "span", "ra-tools-hint", words("tools.hint"));
  }

  update(zoom) {
    for (const [button, can] of this.buttons) button.setAttribute("aria-disabled", String(!can(zoom)));
  }
}
