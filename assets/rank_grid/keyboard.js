// The picture's keys. C and R are Streamlit's own shortcuts, so no letter of an axis is used.

export function onKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (act(view, event)) {
    event.preventDefault();
    event.stopPropagation();
  }
}

// Does what the key says; false for a key that says nothing here.
function act(view, { key, code, shiftKey }) {
  const { placement, drawn } = view;
  const { width, height } = view.zoom;
  const rank = view.whereKeysBegin();
  const neighbour = (direction) => drawn.at(Math.min(Math.max(drawn.placeOf(rank) + direction, 0), drawn.size - 1));
  const pans = {
    ArrowLeft: [-width / 2, 0],
    ArrowRight: [width / 2, 0],
    ArrowUp: [0, -height / 2],
    ArrowDown: [0, height / 2],
  };
  const moves = {
    ArrowLeft: () => neighbour(-1),
    ArrowRight: () => neighbour(+1),
    ArrowUp: () => placement.inColumn(rank, -1),
    ArrowDown: () => placement.inColumn(rank, +1),
    Home: () => drawn.lowest,
    End: () => drawn.last,
  };
  const levels = { "+": +1, "=": +1, "-": -1, _: -1 };
  const axis = view.facts.axes[code.replace(/^(Digit|Numpad)/, "") - 1]; // 1 is the first on the card
  if (shiftKey && pans[key]) view.pan(...pans[key]);
  else if (moves[key]) view.moveTo(moves[key]());
  else if (axis) view.moveTo(nextPeer(view, rank, axis, shiftKey ? -1 : +1));
  else if (levels[key]) view.comeCloser(levels[key], view.inPicture(view.pointed ?? view.pinned));
  else if (key === "0") view.fit();
  else if (key === "Enter") view.pin(rank === view.pinned ? null : rank);
  else if (key === "Escape" && view.pinned !== null) view.pin(null);
  else if (key.toLowerCase() === "i") view.say(view.card.spoken(rank, view.pinned));
  else return false;
  return true;
}

// The next rank of the group along `axis`, round and round; where the others are not drawn, itself.
function nextPeer({ grid, drawn }, rank, axis, direction) {
  const size = grid.sizes[axis];
  const next = grid.moved(rank, axis, (grid.positionOf(rank, axis) + direction + size) % size);
  return drawn.includes(next) ? next : rank;
}
