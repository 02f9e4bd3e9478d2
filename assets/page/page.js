// What is around a page's content: its styles, and the address.

import { stylesheet } from "../dom.js";

// Keeps the browser's address equal to what the reader set, without a history entry: Back leaves the page.
export default async function ({ data, parentElement }) {
  const address = new URL(window.location.href);
  const streamlits = [...address.searchParams].filter(([name]) => name.startsWith("embed"));
  const query = new URLSearchParams(data.query);
  for (const [name, value] of streamlits) query.append(name, value);
  address.search = query;
  if (address.href !== window.location.href) window.history.replaceState(window.history.state, "", address);
  await stylesheet(new URL("page.css", import.meta.url).href);
  parentElement.querySelector(".ra-root").dataset.ready = "yes";
}
