// What is around a page's content: its styles, and the address.

import { stylesheet } from "../dom.js";

let visit = null; // the server's name for this reader's visit
let query = null; // the parameters that the address should have

// Keeps the browser's address equal to what the reader set, without a history entry: Back leaves the page.
export default async function ({ data, parentElement, setTriggerValue }) {
  const isNewVisit = visit !== null && visit !== data.visit;
  visit = data.visit;
  if (isNewVisit && query !== data.query) {
    // The server was restarted, or forgot us: it begins with an old link, and is told the present one.
    setTriggerValue("link", query);
  } else {
    query = data.query;
    correctAddress();
  }
  document.documentElement.classList.toggle("ra-embed", data.isEmbedded);
  await stylesheet(new URL("page.css", import.meta.url).href);
  parentElement.querySelector(".ra-root").dataset.ready = "yes";
}

function correctAddress() {
  const address = new URL(window.location.href);
  const streamlits = [...address.searchParams].filter(([name]) => name.startsWith("embed"));
  const wanted = new URLSearchParams(query);
  for (const [name, value] of streamlits) wanted.append(name, value);
  address.search = wanted;
  if (address.href !== window.location.href) window.history.replaceState(window.history.state, "", address);
}

// Back and Forward bring an address as it was then; what the reader has set since still holds. Streamlit's
// own listener comes first.
window.addEventListener("popstate", () => setTimeout(correctAddress));
