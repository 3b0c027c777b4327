// @ts-check
// The verdict as it changes: sentence, severity in word and edge, the numbers that prove it.

import { count, prose } from "./format.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./types.d.ts").Verdict} Verdict */

/** Which four numbers prove a verdict; templates/_live.html has the same table. */
const PROOFS = {
  kv: ["kv_free", "kv_need", "rows_free", "retracted"],
  mm: ["mm_free", "mm_fit_now", "mm_fit_merged", "mm_slow"],
  wear: ["gen_max", "gen_rate", "mm_free", "mm_slow"],
};
const ANNOUNCE_MS = 10_000;

/** @param {Store} store @returns {() => void} */
export function verdict(store) {
  const el = /** @type {HTMLElement | null} */ (document.querySelector("[data-verdict]"));
  const announce = document.querySelector("[data-announce]");
  let shown = "";
  let announced = "";
  let announced_ms = -ANNOUNCE_MS;
  if (!el) return () => {};
  return () => {
    const now = store.verdict;
    if (!now) return;
    short(el, store);
    const key = JSON.stringify(now);
    if (key !== shown) {
      shown = key;
      write(el, now);
    }
    // read aloud when it turns, and rarely
    const topic = `${now.severity} ${now.cause_class} ${now.pool}`;
    if (announce && topic !== announced && performance.now() - announced_ms > ANNOUNCE_MS) {
      if (announced) announce.textContent = now.text;
      announced = topic;
      announced_ms = performance.now();
    }
  };
}

/** @param {HTMLElement} el @param {Verdict} now */
function write(el, now) {
  const part = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (el.querySelector(`[data-verdict-${name}]`));
  el.dataset.level = now.severity ?? "calm";
  part("word").textContent = now.severity ?? "calm";
  part("text").replaceChildren(...prose(now.text));
  part("detail").replaceChildren(...prose(now.detail ?? ""));
  part("turn").replaceChildren(...turn(now));
  const code = /** @type {HTMLAnchorElement} */ (part("code"));
  code.hidden = !now.code;
  code.href = `/errors/${now.code}`;
  code.textContent = `${now.code} →`;
  const lines = Array.isArray(now.how) ? now.how : [now.how];
  part("how").replaceChildren(
    ...lines.filter(Boolean).map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
  const shown =
    PROOFS[
      now.cause_class === "worn_generation" ? "wear" : now.pool === "mm_feature" ? "mm" : "kv"
    ];
  for (const proof of /** @type {NodeListOf<HTMLElement>} */ (
    el.querySelectorAll("[data-proof]")
  )) {
    proof.hidden = !shown.includes(proof.dataset.proof ?? "");
  }
}

/** @param {Verdict} now @returns {Node[]} */
function turn(now) {
  if (!now.flag || now.direction === "none") return [];
  const to = now.number === null || now.number === undefined ? "" : ` to ${count(now.number)}`;
  const sure = now.confidence === "certain" ? "" : ` (${now.confidence})`;
  return prose(`Turn: ${now.direction} ${now.flag}${to}${sure}.`);
}

/** Marks the number that is short. @param {HTMLElement} el @param {Store} store */
function short(el, store) {
  const kv = store.pools.kv_pages ?? store.pools.kv_tokens;
  const rows = store.pools.request_slots;
  const is_short = {
    kv_free: kv && kv.available + kv.evictable < Math.max(store.engine.need_next_pages ?? 0, 1),
    rows_free: rows && rows.available === 0,
  };
  for (const [name, on] of Object.entries(is_short)) {
    el.querySelector(`[data-proof="${name}"]`)?.toggleAttribute("data-short", Boolean(on));
  }
}
