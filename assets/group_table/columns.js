// What each column of the table says of a group: in one short line, and in full.

import { ranksInWords } from "../groups_in_words.js";
import { hostOf } from "../hosts.js";

export const COLUMNS = ["group", "ranks", "nodes"];
const LINE = 72; // characters that fit a cell in a window 1440 pixels wide
const fits = (text) => text.length <= LINE;

// {short, full} of a group {words, group, index, gpusPerNode}. `full` is null where `short` leaves nothing
// out; else {label, size, at}: what to call it, how many items it has, and the item at a place.
export function shown(column, row) {
  const { words, group, index } = row;
  if (column === "group") return { short: words("table.number", { index }), full: null };
  if (column === "nodes") return nodes(row);
  const short = ranksInWords(words, group, fits);
  if (!short.includes("…")) return { short, full: null };
  const label = words("table.all_ranks", { n: group.size });
  return { short, full: { label, size: group.size, at: (place) => group.at(place) } };
}

// All that a column holds of a group, as text for a cell elsewhere.
export function copied(column, row) {
  if (column === "group") return String(row.index);
  if (column === "ranks") return row.group.ranks().join(row.words("list.separator"));
  const { touched, nameOf } = nodesTouched(row);
  return touched.map(nameOf).join(row.words("list.separator"));
}

// "node 3"; "nodes 0–3, 8–11"; longer "nodes 0, 2, 4, 6, … 126 (64 nodes)"; or the hosts' names instead.
function nodes(row) {
  const { words } = row;
  const { touched, named, nameOf } = nodesTouched(row);
  const n = touched.length;
  const { pieces, last, numPieces } = named ? names(touched, nameOf) : runs(touched);
  const listed = (items) => {
    const list = items.join(words("list.separator"));
    return named ? list : words("table.on_nodes", { n, nodes: list });
  };
  if (numPieces === pieces.length) {
    const whole = listed(pieces);
    if (fits(whole) || numPieces < 3) return { short: whole, full: null };
  }
  const some = [4, 3, 2, 1]
    .filter((few) => few < numPieces - 1)
    .map((few) => `${listed([...pieces.slice(0, few), `… ${last}`])} (${words("card.nodes", { n })})`);
  const full = { label: words("table.all_nodes", { n }), size: n, at: (place) => nameOf(touched[place]) };
  return { short: some.find(fits) ?? some.at(-1), full };
}

// The nodes of a group by number, whether any has its host's name, and what to call each in a list.
function nodesTouched({ words, group, gpusPerNode }) {
  const touched = [];
  group.eachNode(gpusPerNode, (node) => touched.push(node));
  const named = touched.some((node) => hostOf(node) !== null);
  const nameOf = named ? (node) => hostOf(node) ?? words("picture.node", { node }) : String;
  return { touched, named, nameOf };
}

const names = (touched, nameOf) => ({
  pieces: touched.slice(0, LINE).map(nameOf),
  last: nameOf(touched.at(-1)),
  numPieces: touched.length,
});

// Ascending numbers with runs of three and more neighbours drawn together: "0–7", "16", "18". Of many the
// first ones, the last one, and how many there are.
function runs(numbers) {
  const pieces = [];
  let [last, numPieces] = ["", 0];
  const add = (piece) => {
    if (numPieces < LINE) pieces.push(String(piece));
    last = String(piece);
    numPieces += 1;
  };
  for (let from = 0; from < numbers.length; ) {
    let to = from;
    while (numbers[to + 1] === numbers[to] + 1) to += 1;
    if (to - from < 2) for (let place = from; place <= to; place++) add(numbers[place]);
    else add(`${numbers[from]}–${numbers[to]}`);
    from = to + 1;
  }
  return { pieces, last, numPieces };
}
