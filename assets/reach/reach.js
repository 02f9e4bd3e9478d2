// How far the groups of each kind reach: a table, so that the picture and what is heard are one.
//
// Each row has a bar of all groups of its kind, in three parts told apart by pattern, and a strip of the
// NVLink domains in which one group lies. Pointing at a row says more below; it asks no server.

import { element } from "../dom.js";
import { latest } from "../latest.js";
import { counted } from "../text/words.js";

const PARTS = ["in_node", "in_domain", "beyond"];
const COLUMNS = ["group", "reach", "where", "when"];

export default async function (component) {
  const now = await latest(component, new URL("reach.css", import.meta.url).href);
  if (!now) return;
  const { mount, words } = now;
  const drawn = JSON.stringify(component.data);
  if (mount.drawn !== drawn) draw(mount, component.data, words);
  mount.drawn = drawn;
  mount.dataset.ready = "yes";
}

function draw(mount, { rows, isEmbedded }, words) {
  const focused = document.activeElement?.closest(".ra-reach-row")?.dataset.key;
  mount.className = `ra-root ra-reach${isEmbedded ? " ra-reach-embedded" : ""}`;
  mount.replaceChildren();
  drawLegend(mount, words);
  const table = named(element(mount, "table", "ra-reach-table"), "table");
  element(table, "caption", "ra-reach-heard", words("reach.table"));
  const head = named(element(named(element(table, "thead"), "rowgroup"), "tr"), "row");
  for (const column of COLUMNS) {
    const cell = element(head, "th", `ra-reach-${column}`, words(`reach.${column}`));
    named(cell, "columnheader").scope = "col";
  }
  const more = element(mount, "p", "ra-reach-more", words("reach.hint"));
  more.setAttribute("role", "status");
  const leaving = rows.filter(({ numbers }) => numbers[2] > 0);
  const staying = rows.filter(({ numbers }) => numbers[2] === 0);
  for (const [section, found] of [["leaving", leaving], ["staying", staying]]) {
    if (found.length === 0) continue;
    const body = named(element(table, "tbody", `ra-reach-${section}`), "rowgroup");
    const line = named(element(body, "tr"), "row");
    const title = words(`reach.${section}`, { n: found.length });
    const cell = named(element(line, "th", "ra-reach-section", title), "rowheader");
    Object.assign(cell, { colSpan: COLUMNS.length, scope: "rowgroup" });
    for (const row of found) drawRow(body, row, words, more);
  }
  if (focused) mount.querySelector(`[data-key="${focused}"] button`)?.focus();
}

function drawLegend(mount, words) {
  const legend = element(mount, "p", "ra-reach-legend");
  for (const part of PARTS) {
    const item = element(legend, "span");
    element(item, "span", `ra-reach-key ra-reach-${part}`);
    item.append(words(`reach.${part}`));
  }
}

function drawRow(body, row, words, more) {
  const line = named(element(body, "tr", "ra-reach-row"), "row");
  line.dataset.key = row.key;
  const head = named(element(line, "th", "ra-reach-group"), "rowheader");
  head.scope = "row";
  const name = element(head, "button", "ra-reach-name");
  name.type = "button";
  for (const axis of row.axes) {
    element(name, "span", "ra-reach-axis").style.setProperty("--ra-axis", `var(--ra-${axis})`);
  }
  name.append(row.name);
  element(head, "span", "ra-reach-size", row.size);
  drawReach(named(element(line, "td", "ra-reach-reach"), "cell"), row, words);
  drawStrip(named(element(line, "td", "ra-reach-where"), "cell"), row, words);
  named(element(line, "td", "ra-reach-when", row.often), "cell");
  const say = () => {
    for (const old of body.parentElement.querySelectorAll(".ra-reach-pointed")) old.classList.remove("ra-reach-pointed");
    line.classList.add("ra-reach-pointed");
    more.textContent = row.more;
  };
  line.addEventListener("pointerenter", say);
  name.addEventListener("focus", say);
  name.addEventListener("click", say);
}

function drawReach(cell, { numbers, said }, words) {
  const all = numbers.reduce((sum, number) => sum + number, 0);
  const line = element(cell, "div", "ra-reach-line");
  const bar = element(line, "div", "ra-reach-bar");
  bar.ariaHidden = "true";
  for (const [place, part] of PARTS.entries()) {
    if (numbers[place] === 0) continue;
    element(bar, "span", `ra-reach-part ra-reach-${part}`).style.flexGrow = numbers[place];
  }
  const leave = words("reach.count_leave", { groups: counted(numbers[2]), all: counted(all) });
  element(line, "span", "ra-reach-leave", leave);
  element(cell, "div", "ra-reach-said", said);
}

// The domains that one group touches, a frame each; its ranks as marks, nodes as lines between them.
function drawStrip(cell, { strip, axes, ranks }, words) {
  element(cell, "span", "ra-reach-heard", ranks);
  const line = element(cell, "div", "ra-reach-strip");
  line.ariaHidden = "true";
  line.style.setProperty("--ra-mark", axes.length === 1 ? `var(--ra-${axes[0]})` : "var(--st-text-color)");
  for (const [place, domain] of strip.domains.entries()) {
    const isLast = place === strip.domains.length - 1;
    if (isLast && strip.num > strip.domains.length) element(line, "span", "ra-reach-cut", "…");
    const each = element(line, "span", "ra-reach-domain");
    const frame = element(each, "span", "ra-reach-frame");
    const share = (places) => `${(100 * places) / strip.bins}%`;
    for (const at of domain.nodes) element(frame, "span", "ra-reach-node").style.left = share(at);
    for (const [first, length] of domain.marks) {
      const mark = element(frame, "span", "ra-reach-mark");
      Object.assign(mark.style, { left: share(first), width: share(length) });
    }
    element(each, "span", "ra-reach-number", words("reach.domain_number", { number: domain.number }));
  }
}

// On a phone cells stand below each other, which takes a table's meaning away: so it is said.
function named(made, role) {
  made.setAttribute("role", role);
  return made;
}
