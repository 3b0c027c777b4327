// @ts-check
// A cell in words: what it is, whose, how often reused, since when.

import { clock, count, duration } from "./format.js";
import { CODES } from "./status.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./types.d.ts").PoolShape} PoolShape */

/** @type {Record<string, string>} */
const WORDS = {
  request_slots: "row",
  kv_pages: "page",
  kv_tokens: "token slot",
  host_logical: "host page",
  mm_feature: "slot",
};
/** Kinds whose first cell has id 1: id 0 is padding upstream, and no cell. */
const FROM_ONE = ["request_slots", "kv_pages", "kv_tokens"];

/** @param {PoolShape} shape */
export function cell_word(shape) {
  return WORDS[shape.kind] ?? "cell";
}

/** @param {PoolShape} shape */
export function first_id(shape) {
  return shape.first_id ?? (FROM_ONE.includes(shape.kind) ? 1 : 0);
}

/** @param {PoolShape} shape */
function tokens_per_cell(shape) {
  if (shape.unit === "pages") return shape.page_size * shape.unit_per_cell;
  return shape.unit === "tokens" ? shape.unit_per_cell : 0;
}

/** The pool whose cells stand for a pool: a view has none of its own. @param {Store} store @param {string} pool */
export function map_of(store, pool) {
  const shape = store.shapes[pool];
  if (shape && !shape.cells && shape.view_of) return shape.view_of;
  return pool;
}

/**
 * @param {Store} store @param {string} pool @param {number} cell
 * @returns {{lead: string, rest: string}}
 */
export function describe(store, pool, cell) {
  const geometry = store.geometry.get(pool);
  const shape = store.shapes[pool];
  if (!geometry || !shape || cell < 0 || cell >= geometry.cells) return { lead: "", rest: "" };
  const id = cell + first_id(shape);
  /** @type {string[]} */
  const said = [CODES[geometry.state[cell]] ?? "unknown state"];
  if (geometry.owner) {
    const owner = geometry.owner[cell];
    said.push(owner < 0 ? "no owner" : `owner request ${count(owner)}`);
  }
  if (geometry.generation) said.push(`generation ${count(geometry.generation[cell])}`);
  const tokens = tokens_per_cell(shape);
  if (tokens > 1) said.push(`tokens ${count(id * tokens)}–${count((id + 1) * tokens - 1)}`);
  const at = geometry.changed_at[cell];
  said.push(
    Number.isNaN(at)
      ? "unchanged since this page looked"
      : `changed ${duration(Math.max(0, store.sim_t - at))} ago (sim ${clock(at)})`,
  );
  return { lead: `${cell_word(shape)} ${count(id)}`, rest: ` · ${said.join(" · ")}` };
}
