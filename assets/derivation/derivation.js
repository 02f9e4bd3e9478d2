// The derivation: a stage, its step bar, a caption, the formula of one tile, and the groups.
//
// Called again on each change of data, always with the same parent; so what lives between calls is kept in
// `views`. Playing, stepping and pointing stay in the browser. The step at which the reader rests, a pinned
// rank and a chosen order go to the server, because they belong to the link.

import { Bar } from "./bar.js";
import { Digits } from "./digits.js";
import { Job } from "./job.js";
import { Lists, bracketed } from "./lists.js";
import { NUM_TINTS, Stage } from "./stage.js";
import { Clock, Timeline, scenesOf } from "./timeline.js";
import { asFile } from "./file.js";
import { element, stylesheet } from "../dom.js";
import { Group } from "../ranks.js";
import { load } from "../text/words.js";

const views = new WeakMap();
// Pixels of the stage at most: where there is width for it, and where not. In an embed, everything has to fit
// into the height of the iframe (EMBED_HEIGHT in assets/page).
const HEIGHT = { wide: 420, narrow: 400 };
const HEIGHT_IN_EMBED = { wide: 320, narrow: 200 };
const NARROW = 620;
const MOST_LINKED = 24; // images of a tile that lines can tie together
const RESTS_MS = 250; // a step is told to the server when the reader stays there so long
const motion = window.matchMedia("(prefers-reduced-motion: reduce)");

export default async function ({ data, parentElement, setTriggerValue }) {
  const mount = parentElement.querySelector(".ra-root");
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = new View(mount)));
  view.send = setTriggerValue;
  view.wanted = data;
  const style = stylesheet(new URL("derivation.css", import.meta.url).href);
  const [words] = await Promise.all([load(data.language), style]);
  if (view.wanted === data) view.show(data, words); // else a newer rerun overtook this one
  // Streamlit also cleans up where one call overtakes another; only a view that has left the page ends.
  return () => setTimeout(() => mount.isConnected || view.close());
}

class View {
  constructor(mount) {
    this.mount = mount;
    this.pointed = null; // the tile under the pointer, or that the keys have reached
    this.sent = 0; // when the newest choice was sent
    this.journey = null;
    this.clock = new Clock((time) => this.draw(time), () => this.stopped());
    this.observer = new ResizeObserver(() => this.job && this.room() !== this.width && this.build());
  }

  show(data, words) {
    if (this.words !== words) this.furnish(words);
    const before = this.facts;
    this.facts = data;
    const hasHeard = data.heard === null || data.heard >= this.sent; // the server knows our newest choice
    if (hasHeard) this.pin = data.pin;
    const key = JSON.stringify([data.axes, data.sizes, data.shown, data.gpusPerNode]);
    const isOther = key !== this.key;
    this.key = key;
    if (isOther) this.take(data);
    this.fillOrders();
    this.bar.fill(data.steps, this.timeline);
    this.fillCaptions();
    const asked = hasHeard && data.step !== this.told ? data.step : null; // a link was followed
    this.told = data.step;
    if (!before || asked) this.rest(Math.min(asked ?? data.step, this.timeline.numSteps));
    else if (before.order !== data.order && this.step >= 5) this.replay();
    else {
      this.draw(this.clock.time);
      this.settle();
    }
    this.mount.dataset.ready = "yes";
  }

  // Takes over another job: at the step where the reader is, and playing on if it plays.
  take(data) {
    const { clock, timeline: before, journey } = this;
    this.job = new Job(data);
    this.timeline = new Timeline(scenesOf(this.job));
    this.pointed = null;
    this.build(false);
    if (!before) return;
    const { numSteps } = this.timeline;
    if (journey?.plays && !journey.step && this.step <= numSteps) {
      clock.time += this.timeline.starts[this.step] - before.starts[this.step];
      clock.runTo(this.timeline.length);
      return;
    }
    // The step of the link, where the job before had not so many; else where the reader is, or is on the way to.
    const step = this.told > before.numSteps ? this.told : (journey?.rest ?? this.step);
    this.halt();
    this.step = Math.min(step, numSteps);
    clock.time = this.timeline.rests[this.step];
  }

  furnish(words) {
    this.words = words;
    const { mount } = this;
    mount.replaceChildren();
    mount.classList.add("ra-derivation");
    this.bar = new Bar(mount, this, words);
    this.title = element(mount, "h2", "ra-title");
    this.captions = element(mount, "div", "ra-captions");
    this.picture = element(mount, "div", "ra-stage");
    Object.assign(this.picture, { tabIndex: 0 });
    this.picture.setAttribute("role", "group");
    this.picture.setAttribute("aria-label", words("derive.stage"));
    this.picture.setAttribute("aria-describedby", "ra-derive-keys");
    this.stage = new Stage(this.picture, words);
    this.copies = element(mount, "div", "ra-copies");
    this.digits = new Digits(element(mount, "div", "ra-formula"), words);
    const foot = element(mount, "div", "ra-foot");
    const order = element(foot, "label", "ra-order", words("derive.order"));
    this.orders = element(order, "select");
    this.orders.setAttribute("aria-label", words("derive.order"));
    this.orders.addEventListener("change", () => this.tell("order", { order: this.orders.value }));
    this.save = element(foot, "button", "ra-save", words("derive.picture"));
    this.save.type = "button";
    this.save.addEventListener("click", () => this.download());
    this.note = element(mount, "p", "ra-note");
    this.lists = new Lists(mount, words);
    const keys = element(mount, "p", "ra-derive-keys", words("derive.keys"));
    keys.id = "ra-derive-keys";
    this.spoken = element(mount, "div", "ra-spoken");
    this.spoken.setAttribute("aria-live", "polite");
    this.listen();
  }

  listen() {
    const { picture, mount } = this;
    const isPointer = (event) => event.pointerType !== "touch"; // a finger points by a tap, which is a click
    picture.addEventListener("pointermove", (event) => isPointer(event) && this.point(this.stage.tileUnder(event)));
    picture.addEventListener("pointerleave", (event) => isPointer(event) && this.point(null));
    picture.addEventListener("click", (event) => {
      const tile = this.stage.tileUnder(event);
      if (tile) this.setPin(tile.rank === this.pin ? null : tile.rank);
    });
    picture.addEventListener("blur", () => this.point(null));
    mount.addEventListener("keydown", (event) => {
      const isOurs = event.target === picture || event.target === this.bar.scrubber;
      if (!isOurs || event.ctrlKey || event.metaKey || event.altKey || !this.onKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.observer.disconnect();
    this.observer.observe(mount);
  }

  // Does what a key says; false for one that says nothing here.
  onKey({ key, shiftKey }) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (key === " ") this.toggle();
    else if (direction && shiftKey) this.pointNext(direction);
    else if (direction) this.go(this.step + direction);
    else if (key === "Home") this.go(1);
    else if (key === "End") this.go(this.timeline.numSteps);
    else if (key === "Enter" && this.pointed) this.setPin(this.pointed.rank === this.pin ? null : this.pointed.rank);
    else if (key === "Escape" && this.pin !== null) this.setPin(null);
    else return false;
    return true;
  }

  room() {
    const { paddingLeft, paddingRight } = getComputedStyle(this.picture);
    return Math.floor(this.picture.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
  }

  // Builds the stage for the room there is.
  build(redraw = true) {
    this.width = this.room();
    if (!(this.width > 0)) return; // the page is being left
    const { isEmbedded } = this.facts;
    const most = (isEmbedded ? HEIGHT_IN_EMBED : HEIGHT)[this.width < NARROW ? "narrow" : "wide"];
    this.mount.classList.toggle("ra-embedded", isEmbedded);
    this.stage.build(this.job, this.timeline.scenes, this.width, most);
    this.lists.build(this.job);
    this.nameCopies();
    this.lit = null;
    if (redraw) this.draw(this.clock.time);
  }

  // Each copy by its tint, its small number and its chunks; of many copies those with tints of their own.
  nameCopies() {
    const { words, job } = this;
    this.copies.replaceChildren();
    if (job.numCopies === 1) return;
    for (let copy = 0; copy < Math.min(job.copiesShown, NUM_TINTS); copy++) {
      const [first, second] = job.chunksOf(copy);
      const chunks = { copy, first, second };
      const text = this.stage.hasCorners ? words("derive.shares_marked", chunks) : words("derive.shares", chunks);
      element(this.copies, "span", `ra-copy-${copy}`, text);
    }
    const more = job.copiesShown - NUM_TINTS;
    if (more > 0) element(this.copies, "span", "", words("derive.more_copies", { n: more }));
    this.positionsMarked = element(this.copies, "span", "", words("derive.positions_marked"));
    this.positionsMarked.hidden = !this.stage.hasCorners;
  }

  fillOrders() {
    const { orders, order } = this.facts;
    if (this.orders.options.length === 0) {
      for (const name of orders) {
        const text = name === orders[0] ? this.words("derive.order_megatron", { order: name }) : name;
        element(this.orders, "option", "", text).value = name;
      }
    }
    this.orders.value = order;
  }

  // All captions lie upon each other, and the present one shows: the stage below never moves.
  fillCaptions() {
    const { steps } = this.facts;
    this.captions.replaceChildren();
    this.captionOf = steps.map(({ caption }) => element(this.captions, "p", "ra-caption", caption));
    this.captioned = null;
  }

  // What is seen at a time; without motion, the step's picture.
  draw(time) {
    if (!this.width) return; // not yet laid out
    const step = this.journey?.step ?? this.timeline.stepAt(time);
    const { scene, share } = this.timeline.at(motion.matches ? this.timeline.rests[step] : time);
    this.stage.draw(scene, share);
    this.bar.show(time, step, this.clock.isRunning);
    if (this.captioned !== step) {
      const { title, note } = this.facts.steps[step - 1];
      this.title.textContent = `${step}. ${title}`;
      this.note.textContent = note;
      this.captionOf.forEach((block, place) => block.classList.toggle("ra-present", place + 1 === step));
      this.captioned = step;
    }
    this.step = step;
    this.mount.dataset.step = step;
    this.copies.style.visibility = step < 3 ? "hidden" : "";
    if (this.positionsMarked) this.positionsMarked.style.visibility = step === 6 ? "" : "hidden";
    const found = scene.name === "gather" ? share : scene.name === "return" ? 0 : 1;
    this.light(step, scene, found);
  }

  // The tile that is looked at: under the pointer, else pinned, else the example.
  get tile() {
    return this.pointed ?? this.job.byRank.get(this.pin) ?? this.job.example;
  }

  light(step, scene, found) {
    const { job } = this;
    const isGathering = scene.name === "gather" && found < 1;
    const place = Math.min(Math.floor(found * job.placesShown), job.placesShown - 1);
    const tile = isGathering ? job.tiles[place] : this.tile;
    const key = [step, tile.index, scene.name, isGathering ? place : Math.round(found)].join();
    if (key === this.lit) return;
    this.lit = key;
    this.lists.show(step, found);
    const images = job.imagesOf(tile).filter((one) => one !== tile);
    const [lit, linked] = this.lightsOf(step, tile, images);
    this.stage.light(lit, linked);
    this.digits.show(job, tile, step, this.sentence(step, tile));
    if (step >= 6 && !isGathering) this.lists.mark(tile.rank);
  }

  // What shines at a step: [tiles by kind, tiles to draw a line through].
  lightsOf(step, tile, images) {
    const { job } = this;
    if (step <= 2) {
      const first = job.tiles[tile.place]; // there is one copy as yet
      return [{ weights: job.weightCopyOf(first).filter((one) => one !== first), self: [first] }, []];
    }
    const linked = images.length < MOST_LINKED ? job.imagesOf(tile) : [];
    if (step <= 5) return [{ image: images, self: [tile] }, linked];
    if (step === 6) return [{ cp: images, self: [tile] }, linked];
    const peers = (axis) => {
      const group = job.grid.groupOf(tile.rank, [axis]);
      return job.tiles.filter((one) => one !== tile && group.includes(one.rank));
    };
    return [{ ...Object.fromEntries(["tp", "cp", "dp", "pp"].map((axis) => [axis, peers(axis)])), self: [tile] }, []];
  }

  // One sentence on a tile at a step.
  sentence(step, tile) {
    const { job, words, pin } = this;
    const isOutside = pin !== null && !job.byRank.has(pin) && tile !== this.pointed;
    const said = this.sentenceOn(step, tile);
    return isOutside ? [words("card.rank_outside", { rank: pin }), said].join(words("list.sentences")) : said;
  }

  sentenceOn(step, tile) {
    const { job, words } = this;
    const inWords = (grid, number) =>
      [...grid.axes]
        .reverse()
        .map((axis) => words("list.coordinate", { axis: words(`axis.${axis}`), position: grid.positionOf(number, axis) }))
        .join(words("list.separator"));
    const [first, second] = job.chunksOf(tile.copy);
    const numbers = { r0: tile.position, copy: tile.copy, rank: tile.rank, end: tile.endToEnd };
    const known = { ...numbers, n0: job.size, s: job.stride, cp: job.numCopies, first, second };
    if (step <= 2) {
      const weights = bracketed(job.without.groupOf(tile.position, ["tp", "pp"]));
      return words("derive.tile_in_block", { ...known, weights, coordinate: inWords(job.without, tile.position) });
    }
    if (step === 3) return words("derive.tile_in_copy", { ...known, coordinate: inWords(job.without, tile.position) });
    if (step === 4) return words("derive.tile_end_to_end", { ...known, group: this.endToEndGroup(tile) });
    if (step === 5) return words("derive.tile_inserted", known);
    const index = job.grid.groupIndexOf(tile.rank, ["cp"]);
    if (step === 6) return words("derive.tile_gathered", { ...known, index, group: bracketed(job.grid.groupOf(tile.rank, ["cp"])) });
    return words("derive.tile_checked", { ...known, coordinate: inWords(job.grid, tile.rank) });
  }

  endToEndGroup({ position }) {
    return bracketed(new Group(position, [[this.job.size, this.job.numCopies]]));
  }

  // ------ what the reader does

  point(tile) {
    if (tile === this.pointed) return;
    this.pointed = tile;
    this.draw(this.clock.time);
  }

  pointNext(direction) {
    const { job, step } = this;
    const number = step <= 3 ? "index" : step === 4 ? "endToEnd" : "rank";
    const seen = job.tiles.slice(0, step <= 2 ? job.placesShown : job.tiles.length);
    const byNumber = seen.sort((one, other) => one[number] - other[number]);
    const now = step <= 2 ? job.tiles[this.tile.place] : this.tile;
    const next = byNumber.indexOf(now) + direction;
    this.point(byNumber[Math.min(Math.max(next, 0), byNumber.length - 1)]);
    this.say(this.digits.sentence.textContent);
  }

  setPin(rank) {
    this.pin = rank;
    this.draw(this.clock.time);
    this.tell("pin", { rank });
  }

  // A journey is where the clock is running to: { plays } to the end; { step, rest }: while that step is shown,
  // then to rest at one, or with { plays } on to the end.
  halt() {
    this.clock.stop();
    this.journey = null;
  }

  travel(journey, from, until) {
    this.halt();
    this.journey = journey;
    this.clock.time = from;
    this.clock.runTo(until);
    this.draw(from);
  }

  toggle() {
    const { clock, timeline, step } = this;
    if (clock.isRunning) {
      this.halt();
      this.draw(clock.time);
      this.settle();
      return;
    }
    clock.speed = this.bar.speed;
    const isRead = clock.time >= timeline.rests[step]; // its pause is over
    const next = timeline.starts[step + 1] ?? timeline.starts[1];
    this.travel({ plays: true }, isRead ? next : clock.time, timeline.length);
  }

  // To a step: the next one plays, the one before plays backwards, any other is there at once.
  go(step) {
    const { clock, timeline, step: from } = this;
    if (step < 1 || step > timeline.numSteps) return;
    this.halt();
    this.tellStep(step);
    if (motion.matches || Math.abs(step - from) !== 1) return this.rest(step);
    clock.speed = this.bar.speed * (step < from ? 2 : 1);
    if (step > from) this.travel({ step, rest: step }, timeline.starts[step], timeline.rests[step]);
    else this.travel({ step, rest: step }, Math.min(clock.time, timeline.rests[from]), timeline.starts[from]);
  }

  // The flight of step 5 again, then back to where the reader was, or on.
  replay() {
    const { timeline, journey, step } = this;
    const plays = journey?.plays;
    const rest = journey?.rest ?? step;
    if (motion.matches) return this.rest(rest);
    this.clock.speed = this.bar.speed;
    this.travel({ step: 5, rest, plays }, timeline.startOf("insert"), timeline.rests[5]);
  }

  scrub(time) {
    this.halt();
    this.clock.seek(time);
    this.settle();
  }

  // The clock has come to its end.
  stopped() {
    const { journey, clock, timeline } = this;
    this.journey = null;
    if (journey?.plays && clock.time < timeline.length) {
      this.travel({ plays: true }, clock.time, timeline.length);
    } else if (journey?.rest) this.rest(journey.rest);
    else {
      this.draw(clock.time);
      this.settle();
    }
  }

  rest(step) {
    this.halt();
    this.clock.seek(this.timeline.rests[step]);
    this.settle();
  }

  // The reader stays: the step is told to the server and, where it is another, to those who listen.
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (this.clock.isRunning) return;
      if (this.step !== this.announced && this.announced !== undefined) {
        const { title, caption } = this.facts.steps[this.step - 1];
        this.say(this.words("derive.now", { step: this.step, last: this.timeline.numSteps, title, caption }));
      }
      this.announced = this.step;
      this.tellStep(this.step);
    }, RESTS_MS);
  }

  // Where the job has fewer steps than the link says, the link keeps what it says.
  tellStep(step) {
    if (step !== Math.min(this.told, this.timeline.numSteps)) this.tell("step", { step: (this.told = step) });
  }

  tell(event, value) {
    this.sent = Date.now();
    this.mount.dataset.ready = "no";
    this.send(event, { ...value, sent: this.sent });
  }

  say(text) {
    this.spoken.textContent = text;
  }

  download() {
    const { title } = this.facts.steps[this.step - 1];
    const heading = document.querySelector("[data-testid=stMainBlockContainer] h1")?.textContent ?? "";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(asFile(this.stage.svg, [heading, `${this.step}. ${title}`], this.mount));
    link.download = this.words("derive.picture_name", { step: this.step });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  close() {
    this.halt();
    clearTimeout(this.settling);
    this.observer.disconnect();
  }
}
