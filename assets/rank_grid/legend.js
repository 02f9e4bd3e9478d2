// What the quiet shades of the tiles mean: a swatch for each of a few values, or a continuous scale; and what
// is outlined, where NVLink domains of `domain` GPUs are.

import { element } from "../dom.js";

export function drawLegend(legend, { axis, colours, last }, words, domain) {
  legend.replaceChildren();
  if (domain) {
    const entry = element(legend, "span", "ra-legend-entry ra-legend-domain");
    element(entry, "i", "ra-swatch ra-domain-swatch");
    entry.append(words("legend.domain", { n: domain }));
  }
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
