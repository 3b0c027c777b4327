// @ts-check
// The chip of a pool: one word and how bad it is. Same rule as `status` in templates/_macros.html.

import { amount } from "./format.js";

/** @typedef {import("./types.d.ts").PoolSnapshot} PoolSnapshot */
/** @typedef {import("./types.d.ts").Verdict} Verdict */

/** Order of states in bars, numbers and legends. */
export const STATES = /** @type {const} */ ([
  "held",
  "protected",
  "evictable",
  "available",
  "retired",
  "leaked",
]);

/** Per-cell state codes on the wire, as pools/snapshot.py numbers them. */
export const CODES = /** @type {const} */ ([
  "available",
  "held",
  "protected",
  "evictable",
  "leaked",
  "retired",
]);
export const LEAKED = CODES.indexOf("leaked");

/** @param {PoolSnapshot} pool */
export function sum(pool) {
  return STATES.reduce((total, state) => total + (pool[state] ?? 0), 0);
}

/**
 * @param {PoolSnapshot} pool
 * @param {Verdict | null} verdict
 * @returns {{word: string, level: "good" | "warn" | "bad"}}
 */
export function status(pool, verdict) {
  const off = pool.capacity - sum(pool);
  if (off !== 0) return { word: `off by ${amount(off, pool.unit)}`, level: "bad" };
  if (pool.leaked > 0) return { word: "leaking", level: "bad" };
  if (pool.leaked < 0) return { word: "owned twice", level: "bad" };
  if (verdict?.pool === pool.name && verdict.severity === "binding") {
    return { word: "binds", level: "bad" };
  }
  if (pool.kind !== "radix" && pool.available + pool.evictable === 0) {
    return { word: "full", level: "warn" };
  }
  if (pool.retired || pool.extra?.retired_slots) return { word: "wearing", level: "warn" };
  const ranges = pool.kind === "mm_feature" ? pool.free_ranges : null;
  if (ranges && ranges.external_fragmentation_frac > 0.75 && ranges.count > 8) {
    return { word: "fragmented", level: "warn" };
  }
  return { word: "conserved", level: "good" };
}

/**
 * Which figure a pool's sparkline and history show: its name, and how to take it from amounts.
 * @param {{kind: string}} pool
 * @returns {{word: string, of: (amounts: {available: number, evictable: number, protected: number}) => number}}
 */
export function headline(pool) {
  if (pool.kind === "radix")
    return { word: "referenced", of: (one) => one.evictable + one.protected };
  return { word: "available", of: (one) => one.available };
}
