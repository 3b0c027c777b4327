// @ts-check
// A pool at one moment as a small still map with its numbers beneath: the lab's before and after.

import { count } from "./format.js";
import { Palette } from "./palette.js";
import { CODES } from "./status.js";

/**
 * @typedef {object} PoolEnd
 * @property {string} name @property {string} kind @property {string} unit
 * @property {number} capacity @property {number} available @property {number} evictable
 * @property {number} protected @property {number} held @property {number} leaked
 * @property {string} cells one digit per cell, see CODES
 */

const WIDTH = 288;
const LARGEST_CELL = 12;
const FEW_CELLS = 64;
const NUMBERS = /** @type {const} */ (["held", "protected", "evictable", "leaked", "available"]);

/** @param {PoolEnd} pool @param {string} when @returns {HTMLElement} */
export function smallMap(pool, when) {
  const figure = document.createElement("figure");
  figure.className = "small-map";
  const words = NUMBERS.filter((name) => pool[name])
    .map((name) => `${count(pool[name])} ${name}`)
    .join(", ");
  const canvas = draw(pool.cells);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${pool.name} ${when}: ${words}`);
  const caption = document.createElement("figcaption");
  caption.textContent = `${pool.name} ${when}: ${words} of ${count(pool.capacity)} ${pool.unit}`;
  figure.append(canvas, caption);
  return figure;
}

/** @param {string} cells */
function draw(cells) {
  const few = cells.length <= FEW_CELLS;
  const columns = few ? 24 : Math.min(WIDTH / 3, Math.ceil(Math.sqrt(cells.length * 3)));
  const size = Math.max(2, Math.min(LARGEST_CELL, Math.floor(WIDTH / columns)));
  const rows = Math.ceil(cells.length / columns);
  const canvas = document.createElement("canvas");
  canvas.width = columns * size;
  canvas.height = rows * size;
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const { css } = new Palette();
  const gap = size > 3 ? 1 : 0;
  for (let at = 0; at < cells.length; at += 1) {
    context.fillStyle = css[CODES[Number(cells[at])]];
    const [x, y] = [(at % columns) * size, Math.floor(at / columns) * size];
    context.fillRect(x, y, size - gap, size - gap);
  }
  return canvas;
}
