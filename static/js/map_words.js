// @ts-check
// Words around a slot map: heading, legend, read-out, what is missing, the table by address.

import { cell_word, describe, first_id } from "./cell_words.js";
import { amount, count, duration } from "./format.js";
import { ramp_legend, state_legend } from "./map_frame.js";
import { OLDEST_S } from "./map_raster.js";
import { CODES, STATES } from "./status.js";
import { table } from "./twin.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./map_raster.js").Mode} Mode */

const BANDS = 16;
const OWNER_HUES = "linear-gradient(90deg, #c66, #cc6, #6c6, #6cc, #66c, #c6c)";

/** Whether a pool has what a colour mode shows. @param {Geometry} geometry @param {Mode} mode */
export function offers(geometry, mode) {
  if (mode === "generation") return geometry.generation !== null;
  return mode === "owner" ? geometry.owner !== null : true;
}

/** Why there is nothing to draw yet; empty when there is. @param {Store} store @param {string} pool */
export function missing(store, pool) {
  const shape = store.shapes[pool];
  if (!shape) return "Waiting for the host to describe its pools.";
  if (!shape.cells) return `${pool} has no cells of its own to draw.`;
  return store.geometry.get(pool)?.ready ? "" : `Loading ${count(shape.cells)} cells of ${pool}.`;
}

/**
 * @param {HTMLElement} el @param {Mode} mode @param {Geometry} geometry
 * @param {number} top generation at the end of the ramp
 * @param {import("./palette.js").Palette} palette
 */
export function legend(el, mode, geometry, top, palette) {
  const ramp = palette.gradient();
  if (mode === "age") {
    ramp_legend(
      el,
      ramp,
      "older or unseen",
      "just changed",
      `log scale to ${duration(OLDEST_S)}; available cells stay neutral`,
    );
  } else if (mode === "generation") {
    ramp_legend(el, ramp, "1", count(top), "log2 scale; never handed out is neutral");
  } else if (mode === "owner") {
    ramp_legend(
      el,
      OWNER_HUES,
      "",
      "one colour per request",
      "grey: held by the prefix tree or by nobody",
    );
  } else state_legend(el, geometry, cell_word(geometry.shape));
}

/**
 * @param {HTMLElement} el @param {Store} store
 * @param {string} asked the pool that was chosen
 * @param {string} pool whose cells are drawn
 */
export function heading(el, store, asked, pool) {
  const shape = store.shapes[pool];
  const words = [
    asked === pool ? "slot map" : `map of ${pool}, which ${asked} looks at`,
    amount(shape.capacity, shape.unit),
  ];
  if (shape.unit === "pages") words.push(`${count(shape.capacity * shape.page_size)} tokens`);
  words.push(store.pools[pool]?.device ?? "", `row by row, 1 cell = 1 ${cell_word(shape)}`);
  put(el.querySelector("[data-title]"), asked);
  put(el.querySelector("[data-sub]"), words.join(" · "));
}

/** @param {HTMLElement} el @param {Store} store @param {string} pool @param {number} cell @param {number} cols */
export function readout(el, store, pool, cell, cols) {
  const { lead, rest } = describe(store, pool, cell);
  const strong = document.createElement("b");
  strong.textContent = lead;
  const hint = `Point at a cell to read it; the wheel zooms, dragging pans. ${count(cols)} cells a row.`;
  el.replaceChildren(strong, rest || hint);
}

/** @param {HTMLElement} el @param {Geometry} geometry */
export function band_table(el, geometry) {
  const word = cell_word(geometry.shape);
  const first = first_id(geometry.shape);
  const size = Math.ceil(geometry.cells / BANDS);
  const rows = [];
  for (let start = 0; start < geometry.cells; start += size) {
    const stop = Math.min(start + size, geometry.cells);
    const counts = new Uint32Array(CODES.length);
    for (let cell = start; cell < stop; cell += 1) counts[geometry.state[cell]] += 1;
    const by_state = STATES.map((state) => count(counts[CODES.indexOf(state)]));
    rows.push([`${count(start + first)}–${count(stop - 1 + first)}`, ...by_state]);
  }
  table(el, [`${word}s`, ...STATES.map((state) => `>${state}`)], rows, "States by address");
}

/** @param {Element | null} el @param {string} text */
function put(el, text) {
  if (el && el.textContent !== text) el.textContent = text;
}
