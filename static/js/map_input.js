// @ts-check
// Wheel, drag, pinch and keys on a map, turned into moves of its view.

/** @typedef {import("./map_layout.js").View} View */

const DRAG_PX = 3;
const STEP = 1.3;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {View} view
 * @param {{
 *   point: (event: {clientX: number, clientY: number}) => [number, number],
 *   hover: (cell: number) => void, pick: (cell: number) => void,
 *   moved: () => void, cursor: () => number, leaked: () => void,
 * }} on `point` gives device pixels from the map's corner
 */
export function attach(canvas, view, on) {
  wheel(canvas, view, on);
  pointers(canvas, view, on);
  keys(canvas, view, on);
}

/** @param {HTMLCanvasElement} canvas @param {View} view @param {Parameters<typeof attach>[2]} on */
function wheel(canvas, view, on) {
  canvas.addEventListener(
    "wheel",
    (event) => {
      // fully zoomed out, scrolling on is the page's
      if (event.deltaY > 0 && view.zoom === 1) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      view.zoom_by(Math.exp((-event.deltaY * lines) / 400), ...on.point(event));
      on.moved();
    },
    { passive: false },
  );
}

/** @param {HTMLCanvasElement} canvas @param {View} view @param {Parameters<typeof attach>[2]} on */
function pointers(canvas, view, on) {
  /** @type {Map<number, PointerEvent>} */
  const down = new Map();
  let dragged = false;
  const spread = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    down.set(event.pointerId, event);
    dragged = false;
    if (view.zoom > 1) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) {
      on.hover(view.cell_at(...on.point(event)));
      return;
    }
    const dx = event.clientX - before.clientX;
    const dy = event.clientY - before.clientY;
    if (!dragged && Math.hypot(dx, dy) < DRAG_PX) return;
    dragged = true;
    const apart = down.size === 2 ? spread() : 0;
    down.set(event.pointerId, event);
    if (apart) view.zoom_by(spread() / apart, ...on.point(event));
    else view.pan(dx * view.dpr, dy * view.dpr);
    canvas.parentElement?.toggleAttribute("data-drag", true);
    on.moved();
  });
  const up = (/** @type {PointerEvent} */ event) => {
    const was_down = down.delete(event.pointerId);
    canvas.parentElement?.removeAttribute("data-drag");
    if (was_down && !dragged && event.type === "pointerup")
      on.pick(view.cell_at(...on.point(event)));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => on.hover(-1));
  canvas.addEventListener("dblclick", () => {
    view.reset();
    on.moved();
  });
}

/** @param {HTMLCanvasElement} canvas @param {View} view @param {Parameters<typeof attach>[2]} on */
function keys(canvas, view, on) {
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { cols } = view.grid;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -cols, ArrowDown: cols };
    if (event.key in steps) {
      const from = on.cursor();
      const to = from < 0 ? 0 : from + steps[event.key] * (event.shiftKey ? 10 : 1);
      on.pick(Math.min(Math.max(to, 0), view.cells - 1));
      view.reveal(on.cursor());
    } else if (event.key === "+" || event.key === "=" || event.key === "-") {
      const cursor = on.cursor();
      const [x, y] = cursor < 0 ? [view.width / 2, view.height / 2] : view.corner(cursor);
      view.zoom_by(event.key === "-" ? 1 / STEP : STEP, x, y);
    } else if (event.key === "0") view.reset();
    else if (event.key === "j") on.leaked();
    else if (event.key === "Escape") on.pick(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
    on.moved();
  });
}
