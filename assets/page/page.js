// What is around a page's content: its styles, the address, and the panel that gives the link.

import { Share } from "./share.js";
import { stylesheet } from "../dom.js";
import { load } from "../text/words.js";

const ROOT = /^.*(?=atlas\/)/.exec(import.meta.url)[0]; // our files lie under atlas/
let visit = null; // the server's name for this reader's visit
let query = null; // the parameters that the address should have
let report = null; // tells the server, and the root of the component that does
let reported = 0; // when that was last
const panels = new WeakMap();

// Keeps the browser's address equal to what the reader set, without a history entry: Back leaves the page.
export default async function ({ data, parentElement, setTriggerValue }) {
  const isNewVisit = visit !== null && visit !== data.visit;
  visit = data.visit;
  const mount = parentElement.querySelector(".ra-root");
  report = (wanted) => {
    mount.dataset.ready = "no";
    reported = Date.now();
    setTriggerValue("link", { query: wanted, sent: reported });
  };
  if (isNewVisit && query !== data.query) {
    // The server was restarted, or forgot us: it begins with an old link, and is told the present one.
    report(query);
  } else {
    query = data.query;
    correctAddress();
  }
  document.documentElement.classList.toggle("ra-embed", data.isEmbedded);
  const style = stylesheet(new URL("page.css", import.meta.url).href);
  const [words] = await Promise.all([load(data.language), style]);
  let panel = panels.get(mount);
  if (panel?.words !== words) {
    panel = new Share(mount, words, ROOT);
    panels.set(mount, panel);
  }
  const { path, scrolls, embedHeight: height } = data;
  panel.fill({ query, path, scrolls, height, title: data.isEmbedded ? "" : data.title });
  if (reported <= (data.heard ?? 0)) mount.dataset.ready = "yes";
}

function correctAddress() {
  const address = new URL(window.location.href);
  const streamlits = [...address.searchParams].filter(([name]) => name.startsWith("embed"));
  const wanted = new URLSearchParams(query);
  for (const [name, value] of streamlits) wanted.append(name, value);
  address.search = wanted;
  if (address.href !== window.location.href) window.history.replaceState(window.history.state, "", address);
}

// A link to another layout on this page changes what is set; nothing is loaded anew. In an embed it leads out.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='?']:not([data-testid])"); // those with one are Streamlit's
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  report(new URL(link.href).search.slice(1));
});

// Back and Forward bring an address as it was then; what the reader has set since still holds. Streamlit's
// own listener comes first.
window.addEventListener("popstate", () => setTimeout(correctAddress));
