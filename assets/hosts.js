// The hosts' names, where the reader has given them: one place that the card, the picture and the table ask.

let names = [];
const listeners = new Set();

// The name of the host that is node number `node`, or null where none was given.
export const hostOf = (node) => names[node] ?? null;

// The new names, by node; an empty list forgets them.
export function setHosts(given) {
  names = given;
  for (const listener of listeners) listener();
}

// Calls `listener` whenever the names change; gives what ends that.
export function onHosts(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
