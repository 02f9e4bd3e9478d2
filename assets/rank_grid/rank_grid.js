// The Explorer's picture: Plotly's heatmap of tiles, what lights up over it, and the card beside it.
//
// Called again on each change of data or theme, always with the same parent; so what lives between calls
// is kept in `views`. Hovering, moving by keys and comparing stay in the browser; a pin goes to the server,
// because it belongs to the link.

import { Grid, Placement } from "./arithmetic.js";
import { Card } from "./card.js";
import { onKey } from "./keyboard.js";
import { Picture } from "./picture.js";
import { element, stylesheet } from "../dom.js";
import { load } from "../text/words.js";

const SERVER = new URL(/^.*(?=atlas\/)/.exec(import.meta.url)[0]); // our files lie under atlas/
const views = new WeakMap();
const SETTLED_MS = 150; // a window that is being resized is measured when it rests
// The kinds of group that Megatron makes of the dense axes: those that may hold two ranks.
const KINDS = ["tp", "cp", "dp", "pp", "dp-cp", "tp-pp", "tp-cp", "tp-dp", "tp-dp-cp"];
let plotly;

export default async function ({ data, parentElement, setTriggerValue }) {
  const mount = parentElement.querySelector(".ra-root");
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = new View(mount)));
  view.send = setTriggerValue;
  view.wanted = data;
  await view.ready(data);
  if (view.wanted === data) await view.show(data); // else a newer rerun overtook this one
  // Streamlit also cleans up where one call overtakes another; only a view that has left the page ends.
  return () => setTimeout(() => mount.isConnected || view.close());
}

class View {
  constructor(mount) {
    this.mount = mount;
    this.pointed = null;
    this.pinned = null;
    this.sent = 0; // when the newest pin was sent
  }

  async ready({ language, plotlyUrl }) {
    plotly ??= import(new URL(plotlyUrl, SERVER).href).then(() => window.Plotly);
    plotly.catch(() => (plotly = undefined)); // the next call tries again
    const style = stylesheet(new URL("rank_grid.css", import.meta.url).href);
    [this.words, this.Plotly] = await Promise.all([load(language), plotly, style]);
    if (this.language !== language) this.build();
    this.language = language;
  }

  build() {
    const { mount, words } = this;
    mount.replaceChildren();
    mount.classList.add("ra-grid");
    const main = element(mount, "div", "ra-main");
    this.picture = element(main, "div", "ra-picture");
    Object.assign(this.picture, { tabIndex: 0 });
    for (const [name, value] of Object.entries({
      role: "application",
      "aria-label": words("picture.name"),
      "aria-roledescription": words("picture.role"),
      "aria-describedby": "ra-keys",
    }))
      this.picture.setAttribute(name, value);
    this.plot = element(this.picture, "div", "ra-plot");
    this.overlay = new Picture(this.picture);
    this.overlay.words = words;
    this.legend = element(main, "div", "ra-legend");
    this.buildFind(element(main, "form", "ra-find"));
    const keys = element(main, "p", "ra-keys");
    keys.id = "ra-keys";
    keys.textContent = words("picture.keys");
    this.spoken = element(mount, "div", "ra-spoken");
    this.spoken.setAttribute("aria-live", "polite");
    this.card = new Card(mount, words);
    this.card.kinds = Object.fromEntries(KINDS.map((key) => [key, key.split("-")]));
    this.listen();
  }

  buildFind(form) {
    const { words } = this;
    const label = element(form, "label", "", words("find.label"));
    this.findInput = element(label, "input");
    Object.assign(this.findInput, { type: "text", inputMode: "numeric", autocomplete: "off", size: 7 });
    element(form, "button", "", words("find.button")).type = "submit";
    this.findAnswer = element(form, "output", "ra-find-answer");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.find(this.findInput.value.trim());
    });
  }

  listen() {
    const { picture } = this;
    picture.addEventListener("pointermove", (event) => this.point(this.rankUnder(event)));
    picture.addEventListener("pointerleave", () => this.point(null));
    picture.addEventListener("click", (event) => {
      const rank = this.rankUnder(event);
      if (rank !== null) this.pin(rank === this.pinned ? null : rank);
    });
    picture.addEventListener("keydown", (event) => onKey(this, event));
    picture.addEventListener("focus", () => {
      if (picture.matches(":focus-visible")) this.moveTo(this.pointed ?? this.pinned ?? 0);
    });
    picture.addEventListener("blur", () => this.point(null));
    this.observer?.disconnect();
    this.observer = new ResizeObserver(() => {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.report(), SETTLED_MS);
    });
    this.observer.observe(this.mount);
  }

  async show(data) {
    const { placement, grid } = data;
    this.facts = data;
    this.grid = new Grid(grid.axes, grid.sizes);
    this.placement = new Placement({ ...placement, worldSize: this.grid.worldSize });
    this.placement.index(placement.width, placement.height);
    this.lights = data.light.length ? [data.light] : [["tp"], ["cp"], ["dp"], ["pp"]];
    this.card.prepare({
      grid: this.grid,
      gpusPerNode: data.gpusPerNode,
      set: data.light.length ? data.light : ["dp", "cp"],
    });
    this.picture.style.width = `${placement.width}px`;
    this.picture.style.height = `${placement.height}px`;
    this.overlay.draw(this.placement, { ...placement, gpusPerNode: data.gpusPerNode, lights: this.lights });
    this.drawLegend(data.legend);
    // The server's pin, unless it has not yet heard of the newest one.
    if (data.heard === null || data.heard >= this.sent) this.pinned = data.pin;
    else if (this.pinned >= this.grid.worldSize) this.pinned = null;
    if (this.pointed !== null && this.pointed >= this.grid.worldSize) this.pointed = null;
    this.findInput.placeholder = `0–${this.grid.worldSize - 1}`;
    await this.Plotly.react(this.plot, data.figure.data, data.figure.layout, { staticPlot: true });
    this.paint();
    if (!same(this.heardLook, data.look)) this.reported = null; // the server has another idea by now
    this.heardLook = data.look;
    this.report();
    this.mount.dataset.ready = same(this.look(), data.look) ? "yes" : "no";
  }

  // Tells the server how wide the picture may be and on which ground, where it drew for another.
  report() {
    const look = this.look();
    if (look.room <= 0 || same(look, this.facts.look) || same(look, this.reported)) return;
    this.reported = look;
    this.send("look", look);
  }

  // The width that the picture may take, in tens of pixels, and the theme of the ground it stands on.
  look() {
    const room = Math.floor(this.picture.parentNode.clientWidth / 10) * 10;
    const ground = getComputedStyle(this.mount).getPropertyValue("--st-background-color");
    const [red, green, blue] = ground.match(/\w\w/g).map((channel) => parseInt(channel, 16));
    return { room, theme: red + green + blue < 384 ? "dark" : "light" };
  }

  rankUnder(event) {
    const box = this.picture.getBoundingClientRect();
    return this.placement.rankAt(event.clientX - box.left, event.clientY - box.top);
  }

  point(rank) {
    if (rank === this.pointed) return;
    this.pointed = rank;
    this.paint();
  }

  // Moves by key: points, says where, and keeps the tile in view.
  moveTo(rank) {
    this.point(rank);
    this.overlay.ring.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.spoken.textContent = this.card.placeInWords(rank, this.pinned);
  }

  pin(rank) {
    this.pinned = rank;
    this.paint();
    this.sent = Date.now();
    this.mount.dataset.ready = "no";
    this.send("pin", { rank, sent: this.sent });
  }

  // What is lit: the pinned rank's peers while there is one, else those of the rank pointed at.
  paint() {
    const shown = this.pinned ?? this.pointed;
    const lit =
      shown === null
        ? null
        : new Map(this.lights.map((axes) => [axes.join("-"), this.grid.groupOf(shown, axes)]));
    this.overlay.light(shown, lit);
    this.overlay.ringRound(this.pointed, this.pinned);
    this.card.show(shown);
    this.card.compare(this.pinned, this.pointed);
  }

  find(text) {
    const { words, grid } = this;
    const rank = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    const known = rank < grid.worldSize;
    this.findInput.setAttribute("aria-invalid", String(!known));
    this.findAnswer.textContent = known
      ? ""
      : words("find.no_such_rank", { rank: text || "…", last: grid.worldSize - 1 });
    if (!known) return;
    if (this.pinned === null) this.pin(rank);
    else this.point(rank);
    this.findAnswer.textContent = this.card.placeInWords(rank, null);
  }

  drawLegend({ axis, colours, last }) {
    const { legend, words } = this;
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

  close() {
    this.observer?.disconnect();
    clearTimeout(this.settling);
    if (this.plot) this.Plotly.purge(this.plot);
  }
}

const same = (one, other) => one?.room === other?.room && one?.theme === other?.theme;
