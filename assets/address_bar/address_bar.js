// Keeps the browser's address equal to what the reader set, without a history entry: Back leaves the page.
export default function ({ data, parentElement }) {
  const address = new URL(window.location.href);
  const streamlits = [...address.searchParams].filter(([name]) => name.startsWith("embed"));
  const query = new URLSearchParams(data.query);
  for (const [name, value] of streamlits) query.append(name, value);
  address.search = query;
  if (address.href !== window.location.href) window.history.replaceState(window.history.state, "", address);
  parentElement.querySelector(".ra-root").dataset.ready = "yes";
}
