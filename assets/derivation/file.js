// The stage as a file of its own: an SVG that needs no stylesheet, for slides.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "visibility", "font-size", "font-weight", "font-family", "paint-order"];
const HEAD = 52; // pixels above the stage, for what it shows
const MARGIN = 16;
const CHARACTER = 8.6; // pixels of one character of the heading, at most

// `lines` are a heading and a title, written above; colours and ground are those of the page.
export function asFile(svg, lines, page) {
  const copy = svg.cloneNode(true);
  const [shown, copied] = [svg, copy].map((root) => [...root.querySelectorAll("*")]);
  shown.forEach((element, place) => {
    const style = getComputedStyle(element);
    const kept = STYLES.map((name) => `${name}:${plain(style.getPropertyValue(name))}`);
    copied[place].setAttribute("style", kept.join(";"));
    copied[place].removeAttribute("class");
  });
  copied.forEach((element) => {
    const isHidden = /(^|;)(visibility:hidden|opacity:0)(;|$)/.test(element.getAttribute("style"));
    if (isHidden) element.remove();
  });
  const [width, height] = ["width", "height"].map((name) => +svg.getAttribute(name));
  const longest = Math.max(...lines.map((line) => line.length)) * CHARACTER;
  const [wide, high] = [Math.max(width, longest) + 2 * MARGIN, height + HEAD + 2 * MARGIN];
  const style = getComputedStyle(page);
  const picture = document.createElementNS(svg.namespaceURI, "svg");
  const add = (parent, name, attributes, text = "") => {
    const made = parent.appendChild(document.createElementNS(svg.namespaceURI, name));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };
  for (const [name, value] of Object.entries({ width: wide, height: high, viewBox: `0 0 ${wide} ${high}` })) {
    picture.setAttribute(name, value);
  }
  add(picture, "title", {}, lines.join(" · "));
  add(picture, "rect", { width: wide, height: high, fill: style.getPropertyValue("--st-background-color") });
  const font = { fill: style.getPropertyValue("--st-text-color"), "font-family": style.fontFamily };
  lines.forEach((line, place) => {
    add(picture, "text", { ...font, x: MARGIN, y: MARGIN + 14 + 22 * place, "font-size": 15, "font-weight": place ? 400 : 700 }, line);
  });
  const within = add(picture, "g", { transform: `translate(${MARGIN} ${MARGIN + HEAD})` });
  within.append(...copy.childNodes);
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
}

// A value without color(srgb r g b), which is too new for most programs that make slides.
const plain = (value) =>
  value.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)[^)]*\)/g, (_, ...channels) => {
    const bytes = channels.slice(0, 3).map((channel) => Math.round(255 * channel));
    return `rgb(${bytes.join(", ")})`;
  });
