// Grids that belong together, such as the dense grid and the experts': a rank that is pointed at in one lights
// up in all of them. A pinned rank is the server's, and so is one in all of them anyway.

const circles = new Map(); // by name, the views of each circle

// Takes a view into the circle `name`, out of any other; null takes it out only.
export function join(view, name) {
  for (const views of circles.values()) views.delete(view);
  if (name === null) return;
  if (!circles.has(name)) circles.set(name, new Set());
  circles.get(name).add(view);
}

// Calls `take` for all other views of a view's circle.
export function eachOther(view, take) {
  for (const views of circles.values()) {
    if (!views.has(view)) continue;
    for (const other of views) if (other !== view) take(other);
  }
}
