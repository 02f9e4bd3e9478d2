// Looking closer and moving about by wheel, drag and two fingers. A page is never trapped: the wheel is the
// page's unless Ctrl or ⌘ is held or the grid has the focus and something is left to move, and one finger
// always scrolls the page.

const DRAG_PX = 4; // a press that moves less than this is a click
const WHEEL_PX = 60; // of a wheel, or of a pinch on a touchpad, for one level

// `view` has zoom, changed() and draft(dx, dy, scale, x, y), which moves what is drawn for the moment.
export function listenToGestures(view, picture) {
  let wheeled = 0;
  picture.addEventListener(
    "wheel",
    (event) => {
      const { zoom } = view;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        wheeled += event.deltaY * (event.deltaMode === 1 ? 20 : 1);
        const levels = -Math.trunc(wheeled / WHEEL_PX);
        if (!levels) return;
        wheeled = 0;
        const [x, y] = pointOf(event, picture);
        zoom.step(Math.sign(levels), x, y);
        view.changed();
      } else if (document.activeElement === picture && zoom.canMove(event.deltaX, event.deltaY)) {
        event.preventDefault();
        zoom.move(event.deltaX, event.deltaY);
        view.changed();
      }
    },
    { passive: false },
  );
  listenToDrag(view, picture);
  listenToPinch(view, picture);
}

function listenToDrag(view, picture) {
  let from = null;
  let way = [0, 0]; // how far it has come
  let dragged = false;
  const end = () => {
    if (from && dragged) {
      view.zoom.move(-way[0], -way[1]);
      view.changed();
    }
    from = null;
  };
  picture.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.pointerType === "touch" || event.button !== 0) return;
    from = [event.clientX, event.clientY];
  });
  picture.addEventListener("pointermove", (event) => {
    if (!from) return;
    if (!(event.buttons & 1)) return end(); // the button was let go somewhere else
    const [dx, dy] = (way = [event.clientX - from[0], event.clientY - from[1]]);
    if (!dragged && Math.hypot(dx, dy) < DRAG_PX) return;
    if (!dragged && !view.zoom.canMove(-Math.sign(dx), -Math.sign(dy)) && !view.zoom.canMove(-Math.sign(dx), 0)) return;
    if (!dragged) picture.setPointerCapture(event.pointerId);
    dragged = true;
    view.draft({ dx, dy });
  });
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) picture.addEventListener(kind, end);
  // The click that ends a drag pins nothing.
  picture.addEventListener(
    "click",
    (event) => {
      if (dragged) event.stopImmediatePropagation();
      dragged = false;
    },
    { capture: true },
  );
}

function listenToPinch(view, picture) {
  let start = null;
  picture.addEventListener(
    "touchstart",
    (event) => {
      if (event.touches.length !== 2) return (start = null);
      event.preventDefault();
      start = spread(event.touches, picture);
      start.now = start;
    },
    { passive: false },
  );
  picture.addEventListener(
    "touchmove",
    (event) => {
      if (!start || event.touches.length !== 2) return;
      event.preventDefault();
      start.now = spread(event.touches, picture);
      const { x, y } = start;
      view.draft({ dx: start.now.x - x, dy: start.now.y - y, scale: start.now.reach / start.reach, x, y });
    },
    { passive: false },
  );
  const end = () => {
    if (!start) return;
    const { zoom } = view;
    const { x, y, reach, now } = start;
    start = null;
    zoom.step(zoom.levelAt(now.reach / reach) - zoom.level, x, y);
    zoom.move(x - now.x, y - now.y);
    view.changed();
  };
  picture.addEventListener("touchend", end);
  picture.addEventListener("touchcancel", end);
}

// The middle between two fingers, and how far they are apart.
function spread([one, other], picture) {
  const [[x, y], [u, v]] = [one, other].map((touch) => pointOf(touch, picture));
  return { x: (x + u) / 2, y: (y + v) / 2, reach: Math.max(Math.hypot(x - u, y - v), 1) };
}

// Where an event is, in the picture's pixels.
export function pointOf({ clientX, clientY }, picture) {
  const box = picture.getBoundingClientRect();
  return [clientX - box.left, clientY - box.top];
}
