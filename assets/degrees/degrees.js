// The degrees: for each a slider over the common values, and a field that takes any whole number.
//
// A value that is not among the common ones gets a place of its own on the slider, so nothing is reset
// or rounded, however it came: by slider, typing, link or preset. All values travel together, so that two
// quick changes cannot overtake each other. A degree may follow another one until it is set, and again where
// its field is emptied.

import { element, stylesheet } from "../dom.js";
import { load } from "../text/words.js";

const COMMON = [
  1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 72, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
];
const PAUSE_MS = 60; // between messages while a slider is dragged
const views = new WeakMap();

export default async function ({ data, parentElement, setTriggerValue }) {
  const mount = parentElement.querySelector(".ra-root");
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = { mount, rows: new Map(), sent: 0 }));
  view.wanted = data;
  [view.words] = await Promise.all([
    load(data.language),
    stylesheet(new URL("degrees.css", import.meta.url).href),
  ]);
  view.send = setTriggerValue;
  if (view.wanted === data) show(view, data); // else a newer rerun overtook this one
}

function show(view, { rows, largest, heard, language }) {
  // An answer from before the newest change must not move what the reader is holding.
  if (heard !== null && heard < view.sent) return;
  view.largest = largest;
  view.values = Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  view.leaders = Object.fromEntries(rows.map(({ name, leader }) => [name, leader]));
  view.follows = Object.fromEntries(rows.map(({ name, leader, follows }) => [name, follows ? leader : null]));
  const built = [language, ...rows.map(({ name }) => name)].join();
  if (view.built !== built) {
    view.built = built;
    view.mount.classList.add("ra-degrees");
    view.mount.replaceChildren();
    view.rows = new Map(rows.map(({ name }) => [name, build(view, name)]));
  }
  for (const { name, value } of rows) fill(view, name, value);
  view.mount.dataset.ready = "yes";
}

function build(view, name) {
  const { words } = view;
  const row = element(view.mount, "div", "ra-degree");
  row.style.setProperty("--ra-axis", `var(--ra-${name}, var(--st-text-color))`);
  const label = element(row, "label", "ra-degree-label", words(`degree.${name}`));
  const number = element(row, "input", "ra-degree-number");
  Object.assign(number, { type: "number", min: 1, max: view.largest, step: 1, id: `ra-degree-${name}` });
  label.htmlFor = number.id;
  const slider = element(row, "input", "ra-degree-slider");
  Object.assign(slider, { type: "range", min: 0, step: 1 });
  slider.setAttribute("aria-label", words("degree.slider", { name: words(`degree.${name}`) }));
  const message = element(row, "p", "ra-degree-message");
  message.id = `ra-degree-message-${name}`;
  message.setAttribute("role", "alert");
  number.setAttribute("aria-describedby", message.id);
  const made = { number, slider, message, editing: false };
  slider.addEventListener("input", () => choose(view, name, slots(view, name)[slider.value]));
  number.addEventListener("input", () => (made.editing = true));
  number.addEventListener("change", () => typed(view, name));
  return made;
}

function fill(view, name, value) {
  const row = view.rows.get(name);
  const places = slots(view, name);
  row.slider.max = places.length - 1;
  row.slider.value = places.indexOf(value);
  row.slider.setAttribute("aria-valuetext", value);
  row.slider.style.setProperty("--ra-share", places.indexOf(value) / (places.length - 1));
  if (row.shown !== value) {
    row.editing = false;
    say(row, "");
  }
  if (!row.editing) row.number.value = value; // what is being typed, or was refused, stays
  row.shown = value;
}

// The slider's places: the common values, and the present one.
function slots(view, name) {
  return [...new Set([...COMMON, view.values[name]])].sort((one, other) => one - other);
}

function typed(view, name) {
  const { words, largest } = view;
  const row = view.rows.get(name);
  const value = row.number.valueAsNumber;
  if (Number.isInteger(value) && value >= 1 && value <= largest) return choose(view, name, value);
  const leader = view.leaders[name];
  if (leader && row.number.value === "" && !row.number.validity.badInput) return follow(view, name, leader);
  const given = row.number.value || words("degree.nothing");
  say(row, words("degree.not_whole", { given, largest, value: view.values[name] }));
}

function choose(view, name, value) {
  const row = view.rows.get(name);
  row.editing = false;
  say(row, "");
  if (value !== view.values[name] || view.follows[name]) {
    const followers = Object.keys(view.values).filter((other) => view.follows[other] === name);
    view.follows[name] = null; // set, it goes its own way
    view.values = { ...view.values, ...Object.fromEntries([name, ...followers].map((own) => [own, value])) };
    for (const follower of followers) fill(view, follower, value);
    post(view);
  }
  fill(view, name, value);
}

// From now on the degree `name` is what `leader` is.
function follow(view, name, leader) {
  view.follows[name] = leader;
  view.values = { ...view.values, [name]: view.values[leader] };
  const row = view.rows.get(name);
  row.editing = false;
  say(row, "");
  fill(view, name, view.values[name]);
  post(view);
}

// Sends the values, at most once in a pause; the newest always go.
function post(view) {
  view.sent = Date.now();
  view.mount.dataset.ready = "no";
  if (view.waiting) return;
  view.waiting = true;
  const posted = view.values;
  const own = Object.entries(posted).map(([name, value]) => [name, view.follows[name] ? null : value]);
  view.send("degrees", { ...Object.fromEntries(own), sent: view.sent });
  setTimeout(() => {
    view.waiting = false;
    if (view.values !== posted) post(view);
  }, PAUSE_MS);
}

function say(row, message) {
  row.message.textContent = message;
  row.number.setAttribute("aria-invalid", String(message !== ""));
}
