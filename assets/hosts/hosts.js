// Hands the hosts' names to whoever asks ../hosts.js. Draws nothing.

import { setHosts } from "../hosts.js";

let newest = null; // the mount that gave the names last
let given = ""; // and the names, a line each

export default function ({ data, parentElement }) {
  const mount = parentElement.querySelector(".ra-root");
  newest = mount;
  give(data.names);
  mount.dataset.ready = "yes";
  // Streamlit also cleans up where one call overtakes another; only names that have left the page end.
  return () => setTimeout(() => mount.isConnected || mount !== newest || give(""));
}

function give(names) {
  if (names === given) return; // the theme has changed, and whoever shows names need not look again
  given = names;
  setHosts(names ? names.split("\n") : []);
}
