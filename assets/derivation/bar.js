// The step bar: play, step back and forward, scrub, speed, and the steps by name.

import { element } from "../dom.js";

const SPEEDS = [0.5, 1, 2, 4];
const SVG = "http://www.w3.org/2000/svg";
const SIGNS = {
  play: "M5 3l9 6l-9 6z",
  pause: "M4 3h3.5v12h-3.5zM10.5 3h3.5v12h-3.5z",
  back: "M3 3h2.5v12h-2.5zM15 3l-8 6l8 6z",
  forward: "M12.5 3h2.5v12h-2.5zM3 3l8 6l-8 6z",
};

export class Bar {
  constructor(parent, view, words) {
    Object.assign(this, { view, words });
    const bar = element(parent, "div", "ra-bar-controls");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", words("derive.controls"));
    this.back = this.button(bar, "back", () => view.go(view.step - 1));
    this.play = this.button(bar, "play", () => view.toggle());
    this.forward = this.button(bar, "forward", () => view.go(view.step + 1));
    const track = element(bar, "div", "ra-track");
    this.scrubber = element(track, "input", "ra-scrubber");
    Object.assign(this.scrubber, { type: "range", min: 0, step: "any" });
    this.scrubber.setAttribute("aria-label", words("derive.time"));
    this.scrubber.addEventListener("input", () => view.scrub(+this.scrubber.value));
    const speed = element(bar, "label", "ra-speed");
    element(speed, "span", "ra-speed-name", words("derive.speed"));
    this.speeds = element(speed, "select");
    for (const value of SPEEDS) {
      element(this.speeds, "option", "", words("derive.speed_of", { speed: value })).value = value;
    }
    this.speeds.value = 1;
    this.speeds.addEventListener("change", () => (view.clock.speed = this.speed));
    this.steps = element(parent, "ol", "ra-steps");
  }

  get speed() {
    return +this.speeds.value;
  }

  button(parent, name, act) {
    const button = element(parent, "button", `ra-button ra-button-${name}`);
    button.type = "button";
    const svg = button.appendChild(document.createElementNS(SVG, "svg"));
    svg.setAttribute("viewBox", "0 0 18 18");
    svg.setAttribute("aria-hidden", "true");
    svg.appendChild(document.createElementNS(SVG, "path")).setAttribute("d", SIGNS[name]);
    this.name(button, name);
    button.addEventListener("click", act);
    return button;
  }

  // Names a button, and gives it the sign that goes with the name.
  name(button, name) {
    if (button.dataset.name === name) return;
    button.dataset.name = name;
    const text = this.words(`derive.${name}`);
    button.setAttribute("aria-label", text);
    button.title = text;
    button.querySelector("path").setAttribute("d", SIGNS[name] ?? SIGNS.play);
  }

  fill(steps, timeline) {
    this.timeline = timeline;
    this.scrubber.max = timeline.length;
    const titles = steps.map(({ title }) => title);
    if (JSON.stringify(titles) === JSON.stringify(this.titles)) return;
    this.titles = titles;
    this.steps.replaceChildren();
    this.buttons = titles.map((title, place) => {
      const button = element(element(this.steps, "li"), "button", "ra-step");
      button.type = "button";
      element(button, "b", "", String(place + 1));
      element(button, "span", "", title);
      button.setAttribute("aria-label", this.words("derive.at", { step: place + 1, last: titles.length, title }));
      button.addEventListener("click", () => this.view.go(place + 1));
      return button;
    });
    this.step = null;
  }

  show(time, step, isRunning) {
    this.scrubber.value = time;
    this.scrubber.style.setProperty("--ra-share", time / this.timeline.length);
    const isOver = time >= this.timeline.length;
    this.name(this.play, isRunning ? "pause" : isOver ? "again" : "play");
    if (step === this.step) return;
    this.step = step;
    const last = this.titles.length;
    this.scrubber.setAttribute("aria-valuetext", this.words("derive.at", { step, last, title: this.titles[step - 1] }));
    this.buttons.forEach((button, place) => {
      if (place + 1 === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    this.back.setAttribute("aria-disabled", step === 1);
    this.forward.setAttribute("aria-disabled", step === last);
  }
}
