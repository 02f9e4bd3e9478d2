// The link to what the page shows, and the iframe snippet for a wiki, each with a button that copies it.
// Both are made here, because the browser alone knows the address at which it reached the server.

import { element, stylesheet } from "../dom.js";
import { load } from "../text/words.js";

const THEMES = ["readers", "light", "dark"];
const views = new WeakMap();

export default async function ({ data, parentElement }) {
  const mount = parentElement.querySelector(".ra-root");
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = { mount }));
  view.wanted = data;
  const style = stylesheet(new URL("share.css", import.meta.url).href);
  [view.words] = await Promise.all([load(data.language), style]);
  if (view.wanted !== data) return; // a newer rerun overtook this one
  if (view.language !== data.language) build(view);
  view.language = data.language;
  fill(view);
  mount.dataset.ready = "yes";
}

function build(view) {
  const { mount, words } = view;
  mount.replaceChildren();
  mount.classList.add("ra-share");
  view.link = field(view, "link", "input");
  const theme = element(mount, "label", "ra-share-label", words("share.theme"));
  view.theme = element(theme, "select");
  for (const name of THEMES) element(view.theme, "option", "", words(`share.theme_${name}`)).value = name;
  view.theme.addEventListener("change", () => fill(view));
  view.snippet = field(view, "snippet", "textarea");
  element(mount, "p", "ra-share-note", words("share.note", { height: view.wanted.height }));
  view.said = element(mount, "p", "ra-share-said");
  view.said.setAttribute("role", "status");
}

function field(view, name, kind) {
  const { mount, words } = view;
  const label = element(mount, "label", "ra-share-label", words(`share.${name}`));
  const input = element(label, kind);
  Object.assign(input, { readOnly: true, rows: 4, spellcheck: false });
  input.addEventListener("focus", () => input.select());
  const button = element(mount, "button", "ra-share-copy", words(`share.copy_${name}`));
  button.type = "button";
  button.addEventListener("click", () => copy(view, input, name));
  return input;
}

function fill({ link, snippet, theme, wanted }) {
  const { query, title, height } = wanted;
  const page = new URL(window.location.href);
  page.hash = "";
  page.search = query;
  link.value = page.href;
  const embedded = new URL(page);
  embedded.searchParams.set("embed", "true");
  if (theme.value !== "readers") embedded.searchParams.set("embed_options", `${theme.value}_theme`);
  const [source, name] = [embedded.href, title].map(quoted);
  snippet.value = `<iframe src="${source}" title="${name}" width="100%" height="${height}" style="border:0" loading="lazy"></iframe>`;
}

// Text as it stands between quotation marks in HTML.
const ENTITIES = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
const quoted = (text) => text.replace(/[&"<>]/g, (sign) => ENTITIES[sign]);

async function copy({ said, words }, input, name) {
  input.select();
  const copied = await navigator.clipboard?.writeText(input.value).then(() => true, () => false);
  said.textContent = words(copied ? `share.copied_${name}` : "share.select_and_copy");
}
