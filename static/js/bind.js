// @ts-check
// Keeps server-rendered numbers current: elements name what they show in data-attributes.
//   data-pool="kv_pages" data-field="held" [data-as]     data-engine="queued_reqs" [data-as]

import * as format from "./format.js";
import { STATES } from "./status.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./types.d.ts").PoolSnapshot} PoolSnapshot */

/** Figures that are computed from others. @type {Record<string, (source: any) => number | null>} */
const COMPUTED = {
  reclaimable: (pool) => pool.available + pool.evictable,
  prefix_hit_frac: (engine) =>
    engine.prompt_tokens_total ? engine.prefix_hit_tokens_total / engine.prompt_tokens_total : null,
};

/** @type {Record<string, (n: any, unit: string, pool?: PoolSnapshot) => string>} */
const AS = {
  count: (n) => format.count(n),
  bytes: (n) => format.bytes(n),
  amount: (n, unit) => format.amount(n, unit),
  share: (n, _, pool) => format.share(n, pool?.capacity ?? 1),
  ratio: (n) => Number(n).toFixed(2),
  frac: (n) => (n === null || n === undefined ? "–" : `${Math.round(100 * n)} %`),
  seconds: (n) => (n === null || n === undefined ? "–" : format.duration(n)),
  text: (n) => String(n ?? "–"),
};

/** @param {any} source @param {string} path */
function look(source, path) {
  if (path in COMPUTED) return COMPUTED[path](source);
  return path.split(".").reduce((at, key) => at?.[key], source);
}

/** @param {HTMLElement} el @param {string} text */
function put(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

/**
 * @param {Store} store
 * @param {ParentNode} root
 * @returns {() => void} brings every bound element up to date
 */
export function bind(store, root) {
  const pooled = [...root.querySelectorAll("[data-pool][data-field]")];
  const engine = [...root.querySelectorAll("[data-engine]")];
  const bars = [...root.querySelectorAll("[data-bar]")];
  const cards = [...root.querySelectorAll("[data-num]")];
  return () => {
    for (const el of /** @type {HTMLElement[]} */ (pooled)) {
      const name = el.dataset.pool === "@selected" ? store.selected : el.dataset.pool;
      const pool = store.pools[name ?? ""];
      if (!pool) continue;
      const n = look(pool, el.dataset.field ?? "");
      const as = el.dataset.as;
      put(el, as ? AS[as](n, pool.unit, pool) : format.value(n, pool.unit));
      if (pool.unit === "bytes" && !as) el.title = `${format.count(n)} bytes`;
    }
    for (const el of /** @type {HTMLElement[]} */ (engine)) {
      put(el, AS[el.dataset.as ?? "count"](look(store.engine, el.dataset.engine ?? ""), ""));
    }
    for (const el of /** @type {HTMLElement[]} */ (bars))
      fill(el, store.pools[el.dataset.bar ?? ""]);
    for (const el of /** @type {HTMLElement[]} */ (cards)) column(el, store);
  };
}

/** @param {HTMLElement} el @param {PoolSnapshot | undefined} pool */
function fill(el, pool) {
  if (!pool) return;
  const whole = Math.max(pool.capacity, 1);
  for (const part of /** @type {HTMLCollectionOf<HTMLElement>} */ (el.children)) {
    const n = Number(pool[/** @type {"held"} */ (part.dataset.state)] ?? 0);
    const width = `${((100 * Math.max(n, 0)) / whole).toFixed(4)}%`;
    if (part.style.width !== width) part.style.width = width;
  }
  const parts = STATES.filter((state) => pool[state]).map(
    (state) => `${format.amount(pool[state], pool.unit)} ${state}`,
  );
  const label = `${pool.name}: ${parts.join(", ")} of ${format.amount(pool.capacity, pool.unit)}`;
  if (el.getAttribute("aria-label") !== label) el.setAttribute("aria-label", label);
}

/** A column that a pool lacks appears only when it is not zero. @param {HTMLElement} el @param {Store} store */
function column(el, store) {
  const bound = /** @type {HTMLElement | null} */ (el.querySelector("[data-pool]"));
  const pool = store.pools[bound?.dataset.pool ?? ""];
  if (!pool) return;
  const state = /** @type {"held"} */ (el.dataset.num);
  el.hidden = !("always" in el.dataset) && !pool[state];
  el.toggleAttribute("data-alarm", el.dataset.num === "leaked" && pool.leaked !== 0);
}
