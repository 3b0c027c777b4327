// @ts-check
// Whose cells a page draws: the chosen pool's, and those that its panels name.

import { map_of } from "./cell_words.js";

/** @param {import("./store.js").Store} store @returns {Set<string>} */
export function wanted(store) {
  const names = new Set([map_of(store, store.selected)]);
  for (const el of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("[data-chart][data-of]")
  )) {
    const name = el.dataset.of ?? "";
    if (store.shapes[name]?.has_ranges || el.dataset.chart === "generation_clock") names.add(name);
  }
  return names;
}
