// @ts-check
// The elements of a slot map: legend, colour modes, tools, canvas, read-out.

import { count } from "./format.js";
import { CODES, STATES } from "./status.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */

const MODES = /** @type {const} */ ([
  ["state", "what a cell is used for"],
  ["age", "time since a cell last changed, as far as this page saw"],
  ["generation", "how often a cell was handed out, on a log2 ramp"],
  ["owner", "one colour per request that holds cells"],
]);

/** @param {HTMLElement} el a panel; elements go after its header */
export function build(el) {
  const frame = document.createElement("div");
  frame.innerHTML = `
    <div class="map-bar">
      <div class="legend" data-legend></div>
      <div class="map-tools">
        <button type="button" class="button leak" data-leak hidden></button>
        <span id="color-by">colour by</span>
        <div class="seg" role="group" aria-labelledby="color-by" data-modes></div>
      </div>
    </div>
    <div class="map">
      <canvas tabindex="0" role="img" aria-label="Slot map; the same numbers are in the table below" data-map></canvas>
      <p class="over" data-over></p>
    </div>
    <div class="map-foot">
      <p class="readout" data-readout></p>
      <div class="seg" role="group" aria-label="Zoom">
        <button type="button" data-zoom="out" aria-label="Zoom out" title="Zoom out (-)">−</button>
        <button type="button" data-zoom="in" aria-label="Zoom in" title="Zoom in (+)">+</button>
        <button type="button" data-zoom="all" title="Show all cells (0)">all</button>
      </div>
    </div>`;
  /** @param {string} selector */
  const find = (selector) => /** @type {HTMLElement} */ (frame.querySelector(selector));
  const modes = find("[data-modes]");
  for (const [mode, title] of MODES) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = mode;
    button.dataset.mode = mode;
    button.title = title;
    modes.append(button);
  }
  const parts = {
    legend: find("[data-legend]"),
    leak: /** @type {HTMLButtonElement} */ (find("[data-leak]")),
    modes: /** @type {HTMLButtonElement[]} */ ([...modes.children]),
    zooms: /** @type {HTMLButtonElement[]} */ ([...frame.querySelectorAll("[data-zoom]")]),
    box: find(".map"),
    canvas: /** @type {HTMLCanvasElement} */ (find("canvas")),
    over: find("[data-over]"),
    readout: find("[data-readout]"),
  };
  el.querySelector("header")?.after(...frame.children);
  return parts;
}

/** @param {HTMLElement} el @param {Geometry} geometry @param {string} word */
export function state_legend(el, geometry, word) {
  const shown = STATES.filter((state) => {
    const some = geometry.counts[CODES.indexOf(state)] > 0;
    return some || (state !== "retired" && state !== "protected" && state !== "evictable");
  });
  const items = shown.map((state) => {
    const item = document.createElement("span");
    const swatch = document.createElement("span");
    swatch.className = `swatch s-${state}`;
    const number = document.createElement("b");
    number.textContent = count(geometry.counts[CODES.indexOf(state)]);
    item.append(swatch, ` ${state} `, number);
    if (!geometry.counts[CODES.indexOf(state)]) item.className = "none";
    return item;
  });
  el.replaceChildren(...items);
  el.title = `cells by state; one cell is one ${word}`;
}

/** @param {HTMLElement} el @param {string} gradient @param {string} low @param {string} high @param {string} rest */
export function ramp_legend(el, gradient, low, high, rest) {
  const bar = document.createElement("span");
  bar.style.cssText = `display:inline-block;width:120px;height:9px;margin:0 6px;border-radius:2px;background:${gradient}`;
  const item = document.createElement("span");
  item.append(low, bar, high);
  const note = document.createElement("span");
  note.className = "none";
  note.textContent = rest;
  el.replaceChildren(item, note);
  el.title = "";
}
