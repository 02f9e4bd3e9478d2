// The table of groups: what the picture shows, to read, to hear, to copy.
//
// All groups along some axes follow from the axes' sizes, so a page of them is computed when it is shown,
// and four million ranks page as fast as sixteen. Paging, finding, choosing columns and copying stay in the
// browser. The parts around the rows are built once and keep the focus; only the rows are drawn anew.

import { COLUMNS, copied, shown } from "./columns.js";
import { element, stylesheet } from "../dom.js";
import { ranksInWords } from "../groups_in_words.js";
import { onHosts } from "../hosts.js";
import { longList } from "./long_list.js";
import { Kind } from "../kinds.js";
import { load } from "../text/words.js";

const PAGE_SIZES = [10, 25, 100];
const MOST_GIVEN = 24; // characters of a wrong number that are repeated
const fits = (ranks) => ranks.length <= 44; // a group's ranks within a sentence
const FILE_ENDINGS = { json: "json", csv: "csv", markdown: "md" };
const SERVER = /^.*(?=atlas\/)/.exec(import.meta.url)[0]; // our files lie under atlas/
const views = new WeakMap();

export default async function ({ data, parentElement, setTriggerValue }) {
  const mount = parentElement.querySelector(".ra-root");
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = new View(mount)));
  view.wanted = data;
  const [words] = await Promise.all([
    load(data.language),
    stylesheet(new URL("group_table.css", import.meta.url).href),
  ]);
  view.send = setTriggerValue;
  if (view.wanted === data) view.show(data, words); // else a newer rerun overtook this one
  // Streamlit also cleans up where one call overtakes another; only a view that has left the page ends.
  return () => setTimeout(() => mount.isConnected || view.close());
}

class View {
  constructor(mount) {
    this.mount = mount;
    this.columns = [...COLUMNS];
    this.pageSize = PAGE_SIZES[0];
    this.close = onHosts(() => this.groups && this.drawRows());
  }

  show(data, words) {
    const { groups, kind, kinds, gpusPerNode, pin } = data;
    this.words = words;
    if (this.language !== data.language) this.build();
    this.language = data.language;
    Object.assign(this, { pin, gpusPerNode });
    this.groups = new Kind(groups);
    this.name = kinds[kind];
    this.fillChoice(data);
    this.fillFiles(data);
    const listed = JSON.stringify([groups, kind]);
    if (this.listed !== listed) this.begin();
    this.listed = listed;
    const drawn = JSON.stringify({ ...data, pin: null });
    if (this.drawn !== drawn) this.draw();
    this.drawn = drawn;
    this.mark();
    this.mount.dataset.ready = "yes";
  }

  // The kinds to choose from, and what Megatron calls the chosen one.
  fillChoice({ kinds, kind, megatron, members }) {
    const { words } = this;
    const offered = JSON.stringify(kinds);
    if (this.offered !== offered) {
      this.kind.replaceChildren();
      for (const [each, name] of Object.entries(kinds)) element(this.kind, "option", "", name).value = each;
    }
    this.offered = offered;
    this.kind.value = kind;
    this.members.textContent = members;
    this.megatron.replaceChildren(words(megatron ? "table.megatron" : "table.no_megatron"));
    if (megatron) element(this.megatron, "code", "", megatron);
  }

  // Links to the files of all groups of this kind; the server writes a file when it is asked for it.
  fillFiles({ files, kind }) {
    const { words } = this;
    if (this.fileLinks === files + kind) return;
    this.fileLinks = files + kind;
    this.files.replaceChildren(words("table.files"));
    for (const [form, ending] of Object.entries(FILE_ENDINGS)) {
      const link = element(this.files, "a", "ra-table-file", words(`table.${form}`));
      link.href = new URL(`atlas/groups/${kind}.${ending}?${files}`, SERVER).href;
      link.download = "";
    }
  }

  // Another list of groups: from its first one on, and nothing found in it.
  begin() {
    this.first = 0;
    this.found = null; // {rank, index}: the rank that was looked for, and its group, alone on the page
    this.say("");
  }

  build() {
    const { mount, words } = this;
    Object.assign(this, { offered: null, fileLinks: null });
    mount.classList.add("ra-table");
    mount.replaceChildren();
    element(mount, "h2", "", words("table.heading"));
    const bar = element(mount, "div", "ra-table-bar");
    this.kind = choice(bar, words("table.kind"), []);
    this.megatron = element(bar, "span", "ra-table-megatron");
    this.members = element(bar, "span", "ra-table-members");
    this.kind.addEventListener("change", () => {
      mount.dataset.ready = "no";
      this.send("kind", this.kind.value);
    });
    this.buildFind(element(mount, "form", "ra-table-bar"));
    this.answer = element(mount, "p", "ra-table-said");
    Object.assign(this.answer, { id: "ra-table-said", role: "status" });
    const table = element(mount, "table", "ra-table-groups");
    this.caption = element(table, "caption");
    this.head = element(element(table, "thead"), "tr");
    this.body = element(table, "tbody");
    this.body.tabIndex = -1; // takes the focus of a row that goes away
    this.buildPager(element(mount, "nav", "ra-table-bar"));
    this.buildChoices(element(mount, "div", "ra-table-bar"));
    this.copy = element(mount, "div");
    this.files = element(mount, "p", "ra-table-files");
  }

  buildFind(form) {
    const { words } = this;
    this.findKind = choice(form, words("table.find"), [
      ["rank", words("table.by_rank")],
      ["group", words("table.by_group")],
    ]);
    this.findKind.addEventListener("change", () => this.nameField());
    this.field = element(form, "input", "ra-table-field");
    Object.assign(this.field, { type: "text", inputMode: "numeric", autocomplete: "off" });
    this.field.setAttribute("aria-describedby", "ra-table-said");
    element(form, "button", "", words("table.find_button")).type = "submit";
    this.toPin = button(form, "", () => this.goToPin());
    this.toAll = button(form, words("table.all"), () => {
      this.field.focus(); // the button goes away
      this.turnTo(this.first);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.find(this.field.value.trim());
    });
  }

  buildPager(nav) {
    const { words } = this;
    nav.ariaLabel = words("table.pages");
    this.back = [
      button(nav, words("table.first"), () => this.turnTo(0)),
      button(nav, words("table.previous"), () => this.turnTo(Math.max(this.first - this.pageSize, 0))),
    ];
    this.range = element(nav, "span", "ra-table-range");
    this.ahead = [
      button(nav, words("table.next"), () => this.turnTo(this.first + this.pageSize)),
      button(nav, words("table.last"), () => this.turnTo(this.lastPage)),
    ];
    const sizes = PAGE_SIZES.map((size) => [size, size]);
    this.rows = choice(nav, words("table.rows"), sizes);
    this.rows.value = this.pageSize;
    this.rows.addEventListener("change", () => {
      this.pageSize = Number(this.rows.value);
      this.turnTo(this.first);
    });
  }

  buildChoices(bar) {
    const { words } = this;
    const columns = element(bar, "fieldset", "ra-table-columns");
    element(columns, "legend", "", words("table.columns"));
    for (const column of COLUMNS) {
      const label = element(columns, "label");
      const box = element(label, "input");
      Object.assign(box, { type: "checkbox", checked: this.columns.includes(column) });
      label.append(words(`table.${column}`));
      box.addEventListener("change", () => this.choose(column, box));
    }
    this.copyButton = button(bar, words("table.copy"), () => this.copyRows());
  }

  draw() {
    const { words, name } = this;
    const { along, numGroups, size } = this.groups;
    const ranks = words("card.size", { n: size });
    this.caption.replaceChildren();
    for (const axis of along) {
      element(this.caption, "span", "ra-table-axis").style.setProperty("--ra-axis", `var(--ra-${axis})`);
    }
    this.caption.append(words("table.caption", { n: numGroups, name, ranks }));
    this.nameField();
    this.drawRows();
  }

  nameField() {
    const isRank = this.findKind.value === "rank";
    const last = (isRank ? this.groups.worldSize : this.groups.numGroups) - 1;
    const { words } = this;
    this.field.ariaLabel = isRank ? words("table.rank_field", { last }) : words("table.group_field", { last });
    this.field.placeholder = `0–${last}`;
    this.field.ariaInvalid = "false";
  }

  // The numbers of the groups on the page: the one that was found, or a run of them.
  get indices() {
    if (this.found) return [this.found.index];
    const length = Math.min(this.pageSize, this.groups.numGroups - this.first);
    return Array.from({ length }, (_, place) => this.first + place);
  }

  // The group that the last page begins with, in full pages from the first group on.
  get lastPage() {
    const last = this.groups.numGroups - 1;
    return last - (last % this.pageSize);
  }

  row(index) {
    const { words, gpusPerNode } = this;
    return { words, index, gpusPerNode, group: this.groups.at(index) };
  }

  drawRows() {
    const { words, columns, head, body, indices } = this;
    const hadFocus = body.contains(document.activeElement);
    head.replaceChildren();
    for (const column of columns) {
      element(head, "th", `ra-table-${column}`, words(`table.${column}`)).scope = "col";
    }
    body.replaceChildren();
    for (const index of indices) this.drawRow(element(body, "tr"), this.row(index));
    if (hadFocus) body.focus();
    this.copy.replaceChildren();
    this.range.textContent = this.rangeInWords();
    // Not `disabled`, which would take the focus from a button that has just led to the end.
    const alone = this.found !== null;
    for (const each of this.back) each.ariaDisabled = String(alone || indices[0] === 0);
    for (const each of this.ahead) each.ariaDisabled = String(alone || indices.at(-1) === this.groups.numGroups - 1);
    this.toAll.hidden = !alone;
    this.mark();
  }

  // The group's number heads its row; without that column, its ranks do.
  drawRow(line, row) {
    line.dataset.index = row.index;
    for (const [place, column] of this.columns.entries()) {
      const cell = element(line, place === 0 ? "th" : "td", `ra-table-${column}`);
      if (place === 0) cell.scope = "row";
      const { short, full } = shown(column, row);
      element(cell, "span", "", short);
      if (!full) continue;
      longList(cell, full, {
        named: this.words("table.of_group", { what: full.label, index: row.index }),
        separator: this.words("list.separator"),
        id: `ra-table-${column}-${row.index}`,
      });
    }
  }

  // Says in their rows which groups hold the pinned rank and the one that was looked for.
  mark() {
    const { words, groups, pin, found, toPin } = this;
    for (const old of this.body.querySelectorAll(".ra-table-holds")) old.remove();
    for (const line of this.body.rows) line.className = "";
    for (const rank of new Set([pin, found?.rank ?? null])) {
      if (rank === null) continue;
      const line = this.body.querySelector(`[data-index="${groups.indexOf(rank)}"]`);
      if (!line) continue; // another page, or no group at all
      line.className = "ra-table-held";
      element(line.firstChild, "span", "ra-table-holds", words("table.holds", { rank }));
    }
    if (pin === null && document.activeElement === toPin) this.field.focus();
    toPin.hidden = pin === null;
    toPin.textContent = words("table.of_rank", { rank: pin ?? "" });
  }

  rangeInWords() {
    const { words, indices } = this;
    const { numGroups } = this.groups;
    if (numGroups === 1) return words("table.only");
    const places = { n: indices.length, first: indices[0], end: indices.at(-1), last: numGroups - 1 };
    return words("table.range", places);
  }

  // The page that begins with group `first`.
  turnTo(first) {
    this.first = first;
    this.found = null;
    this.drawRows();
    this.say(this.rangeInWords(), { seen: true });
  }

  find(given) {
    const { words, groups, name } = this;
    const isRank = this.findKind.value === "rank";
    const digits = isRank ? given : given.replace(/^#/, "");
    const last = (isRank ? groups.worldSize : groups.numGroups) - 1;
    const number = /^\d{1,9}$/.test(digits) ? Number(digits) : NaN;
    const there = number <= last;
    this.field.ariaInvalid = String(!there);
    if (!there) {
      const places = { given: given.slice(0, MOST_GIVEN) || words("degree.nothing"), name, last };
      return this.say(isRank ? words("table.no_such_rank", places) : words("table.no_such_group", places));
    }
    if (!isRank) return this.goTo(number);
    const index = groups.indexOf(number);
    if (index === null) return this.say(words("table.in_none", { rank: number, name }));
    this.first = index;
    this.found = { rank: number, index };
    this.drawRows();
    this.say(words("table.found_rank", { rank: number, ...this.groupInWords(index) }));
  }

  goTo(index) {
    this.turnTo(index);
    this.say(this.words("table.found_group", this.groupInWords(index)));
  }

  goToPin() {
    const index = this.groups.indexOf(this.pin);
    if (index === null) return this.say(this.words("table.in_none", { rank: this.pin, name: this.name }));
    this.turnTo(index);
    this.say(this.words("table.found_rank", { rank: this.pin, ...this.groupInWords(index) }));
  }

  groupInWords(index) {
    const { words, name, groups } = this;
    return { name, index, ranks: ranksInWords(words, groups.at(index), fits) };
  }

  choose(column, box) {
    const { words } = this;
    const chosen = COLUMNS.filter((each) => (each === column ? box.checked : this.columns.includes(each)));
    if (chosen.length === 0) {
      box.checked = true;
      return this.say(words("table.one_column"));
    }
    this.columns = chosen;
    this.drawRows();
    const columns = chosen.map((each) => words(`table.${each}`)).join(words("list.separator"));
    this.say(words("table.columns_shown", { columns }), { seen: true });
  }

  // The rows on the page as text for a spreadsheet, every rank of every group in it.
  async copyRows() {
    const { words, columns, indices } = this;
    const heads = columns.map((column) => words(`table.${column}`));
    const lines = indices.map((index) => columns.map((column) => copied(column, this.row(index))));
    const text = [heads, ...lines].map((cells) => cells.join("\t")).join("\n");
    this.copy.replaceChildren();
    const done = words("table.copied", { n: indices.length });
    try {
      await navigator.clipboard.writeText(text);
      this.say(done);
    } catch {
      this.say(this.copyByHand(text) ? done : words("table.copy_refused"));
    }
  }

  // Where the clipboard is refused, as without https or in another site's frame: an older way; and where
  // that is refused too, the text stays, selected, for the reader to copy.
  copyByHand(text) {
    const field = element(this.copy, "textarea", "ra-table-text");
    Object.assign(field, { readOnly: true, rows: 5, value: text, ariaLabel: this.words("table.copy_field") });
    field.select();
    if (!document.execCommand("copy")) return false;
    this.copy.replaceChildren();
    this.copyButton.focus();
    return true;
  }

  // Says what changed. What can be `seen` elsewhere on the table is only heard.
  say(sentence, { seen = false } = {}) {
    this.answer.classList.toggle("ra-table-heard", seen);
    this.answer.replaceChildren(); // a sentence that is said twice is heard twice
    if (sentence) element(this.answer, "span", "", sentence);
  }
}

// A labelled choice of [value, text].
function choice(parent, name, options) {
  const label = element(parent, "label", "ra-table-choice", name);
  const select = element(label, "select");
  for (const [value, text] of options) element(select, "option", "", text).value = value;
  return select;
}

function button(parent, name, press) {
  const made = element(parent, "button", "", name);
  made.type = "button";
  made.addEventListener("click", () => made.ariaDisabled !== "true" && press());
  return made;
}
