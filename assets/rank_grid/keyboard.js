// The picture's keys. C and R are Streamlit's own shortcuts, so no letter of an axis is used.

const AXIS_OF_KEY = { 1: "tp", 2: "cp", 3: "dp", 4: "pp" };

export function onKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const rank = view.pointed ?? view.pinned ?? 0;
  const last = view.grid.worldSize - 1;
  const moves = {
    ArrowLeft: () => Math.max(rank - 1, 0),
    ArrowRight: () => Math.min(rank + 1, last),
    ArrowUp: () => view.placement.inColumn(rank, -1),
    ArrowDown: () => view.placement.inColumn(rank, +1),
    Home: () => 0,
    End: () => last,
  };
  const axis = AXIS_OF_KEY[event.code.replace(/^(Digit|Numpad)/, "")];
  if (moves[event.key]) view.moveTo(moves[event.key]());
  else if (axis) view.moveTo(nextPeer(view.grid, rank, axis, event.shiftKey ? -1 : +1));
  else if (event.key === "Enter") view.pin(rank === view.pinned ? null : rank);
  else if (event.key === "Escape" && view.pinned !== null) view.pin(null);
  else if (event.key.toLowerCase() === "i")
    view.spoken.textContent = view.card.spoken(rank, view.pinned);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// The next rank of the group along `axis`, round and round.
function nextPeer(grid, rank, axis, direction) {
  const group = grid.groupOf(rank, [axis]);
  return group[(group.indexOf(rank) + direction + group.length) % group.length];
}
