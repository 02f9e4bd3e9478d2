// The levels of one CP group: a line for each, with the groups of that level as boxes of ranks.

import { element } from "../dom.js";
import { latest } from "../latest.js";

export default async function (component) {
  const now = await latest(component, new URL("levels.css", import.meta.url).href);
  if (!now) return;
  draw(now.mount, component.data, now.words);
  now.mount.dataset.ready = "yes";
}

function draw(mount, { levels }, words) {
  mount.className = "ra-root ra-levels";
  mount.replaceChildren();
  const list = element(mount, "ol", "ra-levels-list");
  list.ariaLabel = words("reach.levels_picture");
  for (const { title, how, part, reach, groups, more } of levels) {
    const level = element(list, "li", "ra-level");
    const head = element(level, "div", "ra-level-head");
    element(head, "b", "", title);
    element(head, "span", "ra-level-how", how);
    const mark = element(head, "span", "ra-level-reach");
    element(mark, "span", `ra-reach-key ra-reach-${part}`);
    mark.append(reach);
    const line = element(level, "ul", "ra-level-groups");
    for (const group of groups) {
      const box = element(line, "li", `ra-level-group ra-level-${group.part}`);
      for (const member of group.members) {
        if (member === null) {
          element(box, "span", "ra-level-cut", "…");
          continue;
        }
        const [rank, place] = member;
        const tile = element(box, "span", "ra-level-rank");
        element(tile, "b", "", String(rank));
        element(tile, "small", "", ` ${place}`);
      }
    }
    if (more) element(line, "li", "ra-level-more", more);
  }
}
