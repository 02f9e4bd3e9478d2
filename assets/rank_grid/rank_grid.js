// The Explorer's picture: Plotly's heatmap of tiles, what lights up over it, and the card beside it.
//
// Called again on each change of data or theme, always with the same parent; so what lives between calls
// is kept in `views`. Hovering, moving by keys, looking closer and comparing stay in the browser; a pin goes
// to the server, because it belongs to the link.

import { Card } from "./card.js";
import { listenToGestures, pointOf } from "./gestures.js";
import { Glide, wantsMotion } from "./glide.js";
import { onKey } from "./keyboard.js";
import { drawLegend } from "./legend.js";
import { eachOther, join } from "./linked.js";
import { Picture } from "./picture.js";
import { Placement, Seats } from "./placement.js";
import { Plot } from "./plot.js";
import { asItWas, isReordered } from "./reorder.js";
import { Tiles } from "./tiles.js";
import { Tools } from "./tools.js";
import { Zoom } from "./zoom.js";
import { element, stylesheet } from "../dom.js";
import { hostOf, onHosts } from "../hosts.js";
import { Grid } from "../ranks.js";
import { load } from "../text/words.js";

const SERVER = new URL(/^.*(?=atlas\/)/.exec(import.meta.url)[0]); // our files lie under atlas/
const views = new WeakMap();
const SETTLED_MS = 150; // a window that is being resized is measured when it rests
const LEAST_HEIGHT = 300; // pixels of a picture that one may look closer at
let plotly;
let numBuilt = 0; // each has an id of its own for its keys

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
    this.zoom = new Zoom();
    this.forgetHosts = onHosts(() => this.facts && this.changed());
  }

  async ready({ language, plotlyUrl, name, place }) {
    plotly ??= import(new URL(plotlyUrl, SERVER).href).then(() => window.Plotly);
    plotly.catch(() => (plotly = undefined)); // the next call tries again
    const style = stylesheet(new URL("rank_grid.css", import.meta.url).href);
    [this.words, this.Plotly] = await Promise.all([load(language), plotly, style]);
    const built = JSON.stringify([language, place]);
    if (this.built !== built) this.build(name, place);
    this.built = built;
  }

  // `which` grid it is goes into its names. Of two pictures, the second leaves to the first what a page needs
  // but once, and the first has it below its card, so that the cards are level.
  build(which, place) {
    const { mount, words } = this;
    mount.replaceChildren();
    mount.classList.add("ra-grid");
    const main = element(mount, "div", "ra-main");
    this.picture = element(main, "div", "ra-picture");
    Object.assign(this.picture, { tabIndex: 0 });
    for (const [name, value] of Object.entries({
      role: "application",
      "aria-label": words(`picture.name_${which}`),
      "aria-roledescription": words("picture.role"),
    }))
      this.picture.setAttribute(name, value);
    this.sheet = element(this.picture, "div", "ra-sheet");
    this.plot = new Plot(element(this.sheet, "div", "ra-plot"));
    const under = element(this.sheet, "div", "ra-layer");
    this.tiles = new Tiles(this.sheet);
    this.overlay = new Picture(under, element(this.sheet, "div", "ra-layer"), words);
    this.tools = new Tools(element(main, "div", "ra-tools"), this, words);
    this.legend = element(main, "div", "ra-legend");
    this.card = new Card(mount, words, which);
    const below = place === "first" ? element(mount, "div", "ra-below") : document.createElement("div");
    const once = place === "alone" ? main : below;
    this.buildFind(element(once, "form", "ra-find"));
    const keys = element(once, "p", "ra-keys");
    keys.id = `ra-keys-${++numBuilt}`;
    if (place !== "second") this.picture.setAttribute("aria-describedby", keys.id);
    keys.textContent = words("picture.keys");
    this.keys = keys;
    this.spoken = element(mount, "div", "ra-spoken");
    this.spoken.setAttribute("aria-live", "polite");
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
    // A finger points by a tap, which is a click; while it moves it scrolls the page.
    const isPointer = (event) => event.pointerType !== "touch";
    picture.addEventListener("pointermove", (event) => {
      if (!isPointer(event) || this.isDrafting) return;
      this.mouse = { clientX: event.clientX, clientY: event.clientY };
      this.point(this.rankUnder(event));
    });
    picture.addEventListener("pointerleave", (event) => {
      if (!isPointer(event)) return;
      this.mouse = null;
      this.point(null);
    });
    listenToGestures(this, picture);
    picture.addEventListener("click", (event) => {
      const rank = this.rankUnder(event);
      if (!isPointer(event)) this.pointed = null; // a finger that is gone points at nothing
      if (rank !== null) this.pin(rank === this.pinned ? null : rank);
    });
    picture.addEventListener("keydown", (event) => {
      this.mouse = null; // now the keys point, until the mouse moves again
      onKey(this, event);
    });
    picture.addEventListener("focus", () => {
      if (picture.matches(":focus-visible")) this.moveTo(this.whereKeysBegin());
    });
    picture.addEventListener("blur", () => {
      this.left = this.pointed ?? this.left;
      this.point(null);
    });
    this.observer?.disconnect();
    this.observer = new ResizeObserver(() => {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.report(), SETTLED_MS);
    });
    this.observer.observe(this.mount);
  }

  async show(data) {
    const { grid, gpusPerNode, part, axes, sets, kinds, also } = data;
    this.facts = data;
    if (data.compact) this.beCompact(data.compact);
    this.mount.dataset.ready = "no";
    join(this, data.circle ?? null);
    const before = this.grid;
    this.grid = new Grid(grid.axes, grid.sizes);
    this.lights = data.light.length ? [data.light] : axes.map((axis) => [axis]);
    this.drawn = part ? this.grid.groupAt(part.number, part.axes) : this.grid.groupOf(0, grid.axes);
    this.card.prepare({
      grid: this.grid,
      gpusPerNode,
      ...{ axes, sets, kinds, also },
      drawn: part ? this.drawn : null,
      partOf: (rank, axes) => this.partOf(rank, axes),
      isEmbedded: data.isEmbedded, // where no rank can be found by number
    });
    // The server's pin, unless it has not yet heard of the newest one.
    if (data.heard === null || data.heard >= this.sent) this.pinned = data.pin;
    else if (this.pinned >= this.grid.worldSize) this.pinned = null;
    if (this.pointed !== null && this.pointed >= this.grid.worldSize) this.pointed = null;
    this.findInput.placeholder = `0–${this.grid.worldSize - 1}`;
    drawLegend(this.legend, data.legend, this.words, data.nodesPerDomain * gpusPerNode || 0);
    const glide = this.place(data, before);
    await this.redraw();
    if (glide) this.gliding = glide.run().then(() => this.mount.classList.remove("ra-gliding"));
    await this.gliding; // also one that an earlier call began
    if (!same(this.heardLook, data.look)) this.reported = null; // the server has another idea by now
    this.heardLook = data.look;
    this.report();
    const isAsked = data.place === "second" || same(this.look(), data.look);
    if (this.facts === data) this.mount.dataset.ready = isAsked ? "yes" : "no";
  }

  // One of several pictures side by side: with a name of its own, a card of a few lines, and no tools.
  beCompact({ name }) {
    this.mount.classList.add("ra-compact");
    this.mount.classList.toggle("ra-set-lit", this.facts.light.length > 0);
    this.card.isCompact = true;
    this.picture.setAttribute("aria-label", name);
    this.card.element.setAttribute("aria-label", name);
    this.keys.textContent = this.words("orders.keys");
  }

  // Takes over new placements; where only the arrangement is another, or beside others the order, gives the
  // glide that leads there. `gridBefore` is the grid that was shown.
  place(data, gridBefore) {
    const { arrange, gpusPerNode, grid, part, placements } = data;
    const seats = new Seats({ arrange, drawn: this.drawn, worldSize: this.grid.worldSize, gpusPerNode });
    const [fit, ...closer] = placements.map(
      (geometry) => new Placement({ ...geometry, grid: this.grid }, seats),
    );
    this.plot.prepare(this.Plotly, data.figure, fit);
    const job = JSON.stringify([grid, part, gpusPerNode]);
    const before = { placement: this.zoom.placement, wasFit: this.zoom.isFit, job: this.job, arrange: this.arrange };
    const isZoomable = closer.length > 0;
    // A picture that may be looked at more closely has a frame of its own; a larger one is moved under it.
    const width = isZoomable ? data.look.room : fit.width;
    const least = data.isEmbedded ? 0 : LEAST_HEIGHT;
    const height = isZoomable ? Math.min(Math.max(fit.height, least), data.height) : fit.height;
    const geometry = JSON.stringify([job, arrange, placements, width, height]);
    if (job !== this.job) this.forgetAnswer();
    if (geometry === this.geometry) this.zoom.placements = [fit, ...closer];
    else this.zoom.prepare([fit, ...closer], width, height);
    Object.assign(this, { job, arrange, geometry });
    Object.assign(this.picture.style, { width: `${width}px`, height: `${height}px` });
    this.tools.toolbar.hidden = !isZoomable;
    this.mount.style.setProperty("--ra-frame", width); // for print, without a unit
    this.mount.classList.toggle("ra-embedded", data.isEmbedded);
    this.overlay.prepare(this.lights);
    this.overlay.nodesPerDomain = data.nodesPerDomain ?? 0;
    this.picture.classList.toggle("ra-has-domains", this.overlay.nodesPerDomain > 0);
    const isNewOrder = data.compact && before.placement?.seats.gpus === seats.gpus && isReordered(gridBefore, this.grid);
    const isRearranged = before.job === job && before.arrange !== arrange;
    if (!before.wasFit || !(isRearranged || isNewOrder) || !wantsMotion()) return null;
    this.mount.classList.add("ra-gliding");
    const { colours } = data.legend;
    const shades = data.legend.last < colours.length ? null : rampOf(colours);
    return new Glide(this.sheet, {
      from: isNewOrder ? asItWas(before.placement, gridBefore, this.grid) : before.placement,
      to: fit,
      ranks: this.drawn,
      colourOf: (rank) => (shades ?? colours)[this.plot.shadeOf(rank)],
      width,
      height,
    });
  }

  // What was found holds for the layout in which it was looked for.
  forgetAnswer() {
    this.findAnswer.textContent = "";
    this.findInput.setAttribute("aria-invalid", "false");
  }

  // Draws what is in view, again and again until it is what was last asked for.
  async redraw() {
    this.isStale = true;
    return (this.redrawing ??= this.draw().finally(() => (this.redrawing = null)));
  }

  async draw() {
    while (this.isStale) {
      this.isStale = false;
      const { look, width, height } = this.zoom;
      await this.plot.show(look.placement, look, [width, height]);
      Object.assign(this, { shown: look, placement: look.placement });
      this.sheet.style.transform = "";
      this.isDrafting = false;
      if (this.mouse) this.pointed = this.rankUnder(this.mouse); // another tile may lie under it now
      const style = getComputedStyle(this.mount);
      const colourOf = (value) => style.getPropertyValue(value).trim();
      const colours = this.facts.axes.map((axis) => [axis, colourOf(`--ra-${axis}`)]);
      this.tiles.prepare(width, height, { ...Object.fromEntries(colours), self: colourOf("--st-text-color") });
      this.overlay.draw(look, (node, characters) => this.nodeName(node, characters));
      this.tools.update(this.zoom);
      this.picture.classList.toggle("ra-movable", this.zoom.isMovable);
      this.paint();
    }
  }

  // "node 12", or its host's name, in so many characters; else the number, or what fits of the name.
  nodeName(node, characters) {
    const name = hostOf(node);
    if (name) return name.length <= characters ? name : `…${name.slice(name.length - characters + 1)}`;
    const text = this.words("picture.node", { node });
    return text.length <= characters ? text : String(node);
  }

  // The view has moved or come closer.
  changed() {
    return this.redraw();
  }

  // Moves what is drawn for the moment, while a gesture goes on.
  draft({ dx, dy, scale = 1, x = 0, y = 0 }) {
    this.isDrafting = true;
    this.sheet.style.transformOrigin = `${x}px ${y}px`;
    this.sheet.style.transform = `translate(${dx}px, ${dy}px) scale(${scale})`;
  }

  // One or more levels closer (or farther, below 0), round `rank` where one is given.
  comeCloser(levels, rank = null) {
    const middle = rank === null ? [] : this.middleOf(rank);
    this.zoom.step(levels, ...middle);
    if (rank !== null) this.zoom.show(rank);
    return this.changed();
  }

  middleOf(rank) {
    const { tile } = this.placement;
    const [x, y] = this.zoom.look.cornerOf(rank);
    const within = (at, length) => Math.min(Math.max(at + tile / 2, 0), length);
    return [within(x, this.zoom.width), within(y, this.zoom.height)];
  }

  fit() {
    this.zoom.fit();
    return this.changed();
  }

  pan(dx, dy) {
    this.zoom.move(dx, dy);
    return this.changed();
  }

  // Tells the server how wide the picture may be and on which ground, where it drew for another. Two pictures
  // beside each other are as wide as each other; were both to report, a pixel more in one would set them off.
  report() {
    if (!this.mount.isConnected || this.facts.place === "second") return; // the page is being left, or the first reports
    const look = this.look();
    if (look.room <= 0 || same(look, this.facts.look) || same(look, this.reported)) return;
    this.reported = look;
    this.send("look", look);
  }

  // The width that the picture may take, in tens of pixels, the theme of the ground it stands on, and whether
  // the card is beside it or below.
  look() {
    const room = Math.floor(this.picture.parentNode.clientWidth / 10) * 10;
    const ground = getComputedStyle(this.mount).getPropertyValue("--st-background-color");
    const [red, green, blue] = ground.match(/\w\w/g).map((channel) => parseInt(channel, 16));
    const isBelow = getComputedStyle(this.card.element).float === "none";
    return { room, theme: red + green + blue < 384 ? "dark" : "light", card: isBelow ? "below" : "beside" };
  }

  rankUnder(event) {
    const [x, y] = pointOf(event, this.picture);
    const [bandX, bandY] = this.placement.bands;
    return x < bandX || y < bandY ? null : this.shown.rankAt(x, y);
  }

  // The rank if the picture shows it, else null.
  inPicture(rank) {
    return rank !== null && this.drawn.includes(rank) ? rank : null;
  }

  point(rank) {
    if (rank === this.pointed) return;
    this.takePoint(rank);
    eachOther(this, (view) => view.takePoint(rank));
  }

  takePoint(rank) {
    this.pointed = rank !== null && rank < this.grid.worldSize ? rank : null;
    this.paint();
  }

  // The rank that the keys set out from: the one pointed at, where they were last, the pinned one; else the
  // first, or one in the middle of a closer look.
  whereKeysBegin() {
    const { zoom, drawn } = this;
    const known = [this.pointed, this.left ?? null, this.pinned].find((rank) => this.inPicture(rank) !== null);
    if (known !== undefined) return known;
    return zoom.isFit ? drawn.lowest : this.placement.nearest(zoom.x + zoom.width / 2, zoom.y + zoom.height / 2);
  }

  // Moves by key: points, says where, and keeps the tile in view.
  async moveTo(rank) {
    this.zoom.show(rank);
    this.point(rank);
    if (this.zoom.look !== this.shown) await this.changed();
    if (this.pointed !== rank) return; // the next key has been quicker
    this.overlay.ring.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.say(this.card.placeInWords(rank, this.pinned));
  }

  say(sentence) {
    this.spoken.textContent = sentence;
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
    const lit = new Map(
      this.lights.map((axes) => [axes.join("-"), shown === null ? null : this.partOf(shown, axes)]),
    );
    const itself = this.inPicture(shown);
    this.tiles.paint(lit, itself, this.placement, this.shown);
    this.overlay.light(shown, lit);
    this.overlay.ringRound(this.inPicture(this.pointed), this.inPicture(this.pinned));
    this.card.show(shown);
    this.card.compare(this.pinned, this.pointed);
  }

  // The members of a rank's group along `axes` that the picture shows, as a group; null where it shows none.
  partOf(rank, axes) {
    const { grid, drawn } = this;
    const free = this.facts.part?.axes ?? grid.axes;
    let member = rank;
    for (const axis of grid.axes.filter((axis) => !free.includes(axis))) {
      const position = grid.positionOf(drawn.lowest, axis);
      if (position !== grid.positionOf(rank, axis) && !axes.includes(axis)) return null;
      member = grid.moved(member, axis, position);
    }
    return grid.groupOf(member, axes.filter((axis) => free.includes(axis)));
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
    if (this.inPicture(rank) !== null && !this.zoom.isFit) {
      this.zoom.show(rank);
      this.changed();
    }
    this.findAnswer.textContent = this.card.placeInWords(rank, this.pinned);
  }

  close() {
    join(this, null);
    this.observer?.disconnect();
    this.forgetHosts();
    clearTimeout(this.settling);
    this.plot?.close();
  }
}

const same = (one, other) => ["room", "theme", "card"].every((name) => one?.[name] === other?.[name]);

// A hundred colours from the first of a continuous scale to its last.
function rampOf(colours) {
  const [low, high] = [colours[0], colours.at(-1)].map((colour) =>
    [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)),
  );
  const mixed = (share) =>
    low.map((channel, at) => Math.round(channel + (high[at] - channel) * share).toString(16).padStart(2, "0"));
  return Array.from({ length: 100 }, (_, step) => `#${mixed(step / 99).join("")}`);
}
