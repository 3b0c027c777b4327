// @ts-check
// Pool cards: the chip, and choosing which pool's map is shown.

import { status } from "./status.js";

/** @typedef {import("./store.js").Store} Store */

/** @param {Store} store @returns {() => void} */
export function cards(store) {
  const chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-chip]")]);
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (
    document.querySelectorAll("[data-select]")
  )) {
    link.setAttribute("role", "button");
    link.addEventListener("click", (event) => {
      // with a modifier the link opens the pool's own page, as links do
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      store.select(link.dataset.select ?? "");
    });
    link.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      store.select(link.dataset.select ?? "");
    });
  }
  return () => {
    for (const chip of chips) {
      const pool = store.pools[chip.dataset.chip ?? ""];
      if (!pool) continue;
      const { word, level } = status(pool, store.verdict);
      if (chip.textContent !== word) chip.textContent = word;
      if (chip.dataset.level !== level) chip.dataset.level = level;
    }
    for (const card of /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("[data-card]")
    )) {
      const on = card.dataset.card === store.selected;
      card.toggleAttribute("data-selected", on);
      const link = card.querySelector("[data-select]");
      if (on) link?.setAttribute("aria-pressed", "true");
      else link?.setAttribute("aria-pressed", "false");
      link?.removeAttribute("aria-current");
    }
  };
}
