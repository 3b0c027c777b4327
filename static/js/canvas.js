// @ts-check
// A canvas that fills its box at the screen's resolution, drawn in CSS pixels.

/** @typedef {{context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, width: number, height: number, clear: () => void}} Board */

/**
 * @param {HTMLElement} box
 * @param {() => void} resized
 * @returns {Board}
 */
export function board(box, resized) {
  const canvas = document.createElement("canvas");
  box.append(canvas);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const made = {
    canvas,
    context,
    width: 0,
    height: 0,
    clear() {
      context.clearRect(0, 0, made.width, made.height);
    },
  };
  const measure = () => {
    const dpr = window.devicePixelRatio || 1;
    made.width = box.clientWidth;
    made.height = box.clientHeight;
    canvas.width = Math.max(1, Math.round(made.width * dpr));
    canvas.height = Math.max(1, Math.round(made.height * dpr));
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    resized();
  };
  new ResizeObserver(measure).observe(box);
  return made;
}
