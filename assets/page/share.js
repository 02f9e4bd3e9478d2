// The link to what is set, and the iframe snippet for a wiki, each with a button that copies it. Both are
// made here, because the browser alone knows the address at which it reached the server.

import { element } from "../dom.js";

const THEMES = ["readers", "light", "dark"];

// A panel behind a button, in `mount`; fill() says for which link.
export class Share {
  constructor(mount, words, root) {
    Object.assign(this, { words, root });
    mount.replaceChildren();
    this.details = element(mount, "details", "ra-share");
    element(this.details, "summary", "", words("share.heading"));
    this.panel = element(this.details, "div", "ra-share-panel");
    this.link = this.field("link", "input");
    const theme = element(this.panel, "label", "ra-share-label", words("share.theme"));
    this.theme = element(theme, "select");
    for (const name of THEMES) element(this.theme, "option", "", words(`share.theme_${name}`)).value = name;
    this.theme.addEventListener("change", () => this.fill(this.shown));
    this.snippet = this.field("snippet", "textarea");
    this.note = element(this.panel, "p", "ra-share-note");
    this.said = element(this.panel, "p", "ra-share-said");
    this.said.setAttribute("role", "status");
    this.details.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.details.addEventListener("toggle", () => (this.said.textContent = ""));
    document.addEventListener("pointerdown", ({ target }) => {
      if (!this.details.contains(target)) this.details.open = false;
    });
  }

  close() {
    this.details.open = false;
    this.details.firstChild.focus();
  }

  field(name, kind) {
    const label = element(this.panel, "label", "ra-share-label", this.words(`share.${name}`));
    const input = element(label, kind);
    Object.assign(input, { readOnly: true, rows: 4, spellcheck: false });
    input.addEventListener("focus", () => input.select());
    const button = element(this.panel, "button", "ra-share-copy", this.words(`share.copy_${name}`));
    button.type = "button";
    button.addEventListener("click", () => this.copy(input, name));
    return input;
  }

  // The panel for a link's parameters and path; `title` says what an embedded page shows, "" where there is
  // none, `height` is what that needs, and `scrolls` says that the page is longer.
  fill(shown) {
    const { query, path, title, height, scrolls } = (this.shown = shown);
    const room = this.words(scrolls ? "share.scrolls" : "share.room", { height });
    this.note.textContent = [room, this.words("share.note")].join(this.words("list.sentences"));
    this.details.hidden = title === "";
    const page = new URL(path, this.root);
    page.search = query;
    this.link.value = page.href;
    page.searchParams.set("embed", "true");
    const theme = this.theme.value;
    if (theme !== "readers") page.searchParams.set("embed_options", `${theme}_theme`);
    const [source, name] = [page.href, title].map(quoted);
    this.snippet.value = `<iframe src="${source}" title="${name}" width="100%" height="${height}" style="border:0" loading="lazy"></iframe>`;
  }

  async copy(input, name) {
    input.select();
    const done = await navigator.clipboard?.writeText(input.value).then(() => true, () => false);
    this.said.textContent = this.words(done ? `share.copied_${name}` : "share.select_and_copy");
  }
}

// Text as it stands between quotation marks in HTML.
const ENTITIES = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
const quoted = (text) => text.replace(/[&"<>]/g, (sign) => ENTITIES[sign]);
