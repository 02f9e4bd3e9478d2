// What the quiet shades of the tiles mean: a swatch for each of a few values, or a continuous scale.

import { element } from "../dom.js";

export function drawLegend(legend, { axis, colours, last }, words) {
  legend.replaceChildren();
  if (!axis) return;
  element(legend, "b", "", words(`legend.${axis}`));
  if (last < colours.length) {
    colours.forEach((colour, value) => {
      const entry = element(legend, "span", "ra-legend-entry");
      element(entry, "i", "ra-swatch").style.background = colour;
      entry.append(String(value));
    });
    return;
  }
  const entry = element(legend, "span", "ra-legend-entry");
  entry.append("0");
  element(entry, "i", "ra-ramp").style.background = `linear-gradient(90deg, ${colours.join()})`;
  entry.append(words("legend.continuous", { last }));
}
