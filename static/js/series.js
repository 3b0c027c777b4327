// @ts-check
// What each pool's amounts were over simulated time: at most MAX_POINTS per pool, thinned evenly.

const MAX_POINTS = 400;
/** Wall milliseconds between two points from the stream. */
const MIN_GAP_MS = 250;
const FIELDS = /** @type {const} */ (["available", "evictable", "protected", "held", "leaked"]);
/** Simulated seconds over which "last minute" counts. */
const MINUTE_S = 60;

/** @typedef {{sim_t: number[], available: number[], evictable: number[], protected: number[], held: number[], leaked: number[]}} Columns */

export class Series {
  constructor() {
    /** @type {Map<string, Columns>} */
    this.pools = new Map();
    /** (sim_t, retracted_total) pairs of the last simulated minute. @type {[number, number][]} */
    this.retracted = [];
    this.version = 0;
    this.last_ms = 0;
    /** Wall time from which rows belong to the run that is shown, seconds. */
    this.since_t = 0;
    /** A recording's rows are all there from the start. */
    this.fixed = false;
  }

  /** A recording. @param {import("./types.d.ts").Header[]} scalars oldest first */
  fix(scalars) {
    this.clear(0);
    for (const { sim_t, pools } of scalars)
      for (const [name, pool] of Object.entries(pools)) {
        const columns = this.of(name);
        columns.sim_t.push(sim_t);
        for (const field of FIELDS) columns[field].push(pool[field]);
        this.thin(columns);
      }
    this.fixed = true;
    this.version += 1;
  }

  /** @param {number} [since_t] wall time at which a new run began */
  clear(since_t = this.since_t) {
    if (this.fixed) return;
    this.since_t = since_t;
    this.pools.clear();
    this.retracted.length = 0;
    this.last_ms = 0;
    this.version += 1;
  }

  /** @param {string} pool @returns {Columns} */
  of(pool) {
    let columns = this.pools.get(pool);
    if (!columns) {
      columns = { sim_t: [], available: [], evictable: [], protected: [], held: [], leaked: [] };
      this.pools.set(pool, columns);
    }
    return columns;
  }

  /**
   * One figure over time. @param {string} pool
   * @param {(amounts: {available: number, evictable: number, protected: number}) => number} figure
   */
  line(pool, figure) {
    const { sim_t, available, evictable, protected: kept } = this.of(pool);
    return sim_t.map((_, at) =>
      figure({ available: available[at], evictable: evictable[at], protected: kept[at] }),
    );
  }

  /**
   * Rows from before this page looked go in front of what the stream brought.
   * @param {string} pool
   * @param {Record<string, number>[]} rows oldest first
   */
  backlog(pool, rows) {
    const columns = this.of(pool);
    const first = columns.sim_t[0] ?? Infinity;
    // a workload that was restarted goes back in time; only its last run is shown
    const turn = rows.findLastIndex((row, at) => at > 0 && row.sim_t < rows[at - 1].sim_t);
    const run = rows
      .slice(Math.max(turn, 0))
      .filter((row) => row.sim_t < first && row.t >= this.since_t);
    columns.sim_t.unshift(...run.map((row) => row.sim_t));
    for (const field of FIELDS) columns[field].unshift(...run.map((row) => row[field]));
    columns.available.splice(
      0,
      run.length,
      ...run.map((row) => row.available_min ?? row.available),
    );
    this.thin(columns);
    this.version += 1;
  }

  /**
   * @param {number} sim_t
   * @param {Record<string, any>} pools
   * @param {Record<string, any>} engine
   */
  append(sim_t, pools, engine) {
    const now = performance.now();
    if (this.fixed) return;
    if (now - this.last_ms < MIN_GAP_MS) return;
    this.last_ms = now;
    for (const [name, pool] of Object.entries(pools)) {
      const columns = this.of(name);
      if (columns.sim_t.at(-1) === sim_t) continue;
      columns.sim_t.push(sim_t);
      for (const field of FIELDS) columns[field].push(pool[field]);
      this.thin(columns);
    }
    this.retracted.push([sim_t, engine.retracted_total ?? 0]);
    while (this.retracted[0][0] < sim_t - MINUTE_S) this.retracted.shift();
    this.version += 1;
  }

  /** Over the budget, of each two older points the one with less available stays. @param {Columns} columns */
  thin(columns) {
    const length = columns.sim_t.length;
    if (length <= MAX_POINTS) return;
    const half = 2 * Math.floor(length / 4);
    const kept = [];
    for (let at = 0; at < half; at += 2) {
      kept.push(columns.available[at] <= columns.available[at + 1] ? at : at + 1);
    }
    for (let at = half; at < length; at += 1) kept.push(at);
    columns.sim_t = kept.map((at) => columns.sim_t[at]);
    for (const field of FIELDS) columns[field] = kept.map((at) => columns[field][at]);
  }
}
