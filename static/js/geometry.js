// @ts-check
// The cells of one pool in the browser: keyframes and deltas applied, nothing drawn.

import { CODES, LEAKED } from "./status.js";

/** @typedef {import("./types.d.ts").WireArray} WireArray */
/** @typedef {import("./types.d.ts").PoolShape} PoolShape */

/** Changes older than this many deltas are redrawn as a whole. */
const MAX_PENDING = 64;

export class Geometry {
  /** @param {PoolShape} shape */
  constructor(shape) {
    const cells = shape.cells;
    this.cells = cells;
    this.shape = shape;
    this.state = new Uint8Array(cells);
    this.generation = shape.has_generation ? new Uint32Array(cells) : null;
    this.owner = shape.has_owner ? new Int32Array(cells).fill(-1) : null;
    /** Simulated seconds at which this page saw a cell change; NaN: not since it looked. */
    this.changed_at = new Float64Array(cells).fill(NaN);
    /** Start, end pairs of free ranges in `unit`, by address. @type {Float64Array} */
    this.free_edges = new Float64Array(0);
    /** Rows (slot, start, end, generation, acks missing). @type {Float64Array} */
    this.leases = new Float64Array(0);
    /** First simulated second at which this page saw a lease, by "slot:generation". */
    this.lease_seen = /** @type {Map<string, {sim_t: number, exact: boolean}>} */ (new Map());
    this.counts = new Float64Array(CODES.length);
    this.counts[0] = cells;
    this.leaked = /** @type {Set<number>} */ (new Set());
    this.seq = -1;
    this.ready = false;
    /** Bumped by each change, so that charts can tell whether to draw. */
    this.version = 0;
    this.ranges_version = 0;
    this.parts = new Set();
    this.whole = true;
    this.pending = /** @type {Uint32Array[]} */ ([]);
  }

  /**
   * One part of a keyframe; the pool is ready once all parts of one seq came.
   * @param {Record<string, any>} header
   * @param {Record<string, WireArray>} arrays
   * @param {number} sim_t
   */
  keyframe(header, arrays, sim_t) {
    const { seq, part, parts, start, stop } = header;
    if (seq !== this.seq) {
      this.parts.clear();
      this.seq = seq;
      this.ready = false;
    }
    if (stop > this.cells) throw new Error(`keyframe ends at ${stop} of ${this.cells} cells`);
    const pick = (/** @type {string} */ name) => arrays[name] ?? arrays[`${header.pool}/${name}`];
    this.state.set(/** @type {Uint8Array} */ (pick("state")), start);
    const generation = pick("generation");
    const owner = pick("owner");
    if (this.generation && generation) this.generation.set(generation, start);
    if (this.owner && owner) this.owner.set(owner, start);
    this.changed_at.fill(NaN, start, stop);
    this.take_ranges(pick, sim_t, true);
    this.parts.add(part);
    if (this.parts.size < parts) return;
    this.ready = true;
    this.recount();
    this.whole = true;
    this.pending.length = 0;
    this.version += 1;
  }

  /**
   * Absolute values of changed cells.
   * @param {string} pool
   * @param {Record<string, any>} header
   * @param {Record<string, WireArray>} arrays
   * @param {number} sim_t
   */
  delta(pool, header, arrays, sim_t) {
    const pick = (/** @type {string} */ name) => arrays[`${pool}/${name}`];
    const slots = /** @type {Uint32Array | undefined} */ (pick("slots"));
    if (slots?.length) this.change(slots, pick, sim_t);
    this.take_ranges(pick, sim_t, false);
    this.seq = header.seq;
  }

  /**
   * @param {Uint32Array} slots
   * @param {(name: string) => WireArray} pick
   * @param {number} sim_t
   */
  change(slots, pick, sim_t) {
    const state = pick("state");
    const generation = pick("generation");
    const owner = pick("owner");
    const { counts, leaked } = this;
    for (let k = 0; k < slots.length; k += 1) {
      const cell = slots[k];
      const before = this.state[cell];
      const after = state[k];
      if (before !== after) {
        counts[before] -= 1;
        counts[after] += 1;
        if (after === LEAKED) leaked.add(cell);
        else if (before === LEAKED) leaked.delete(cell);
        this.state[cell] = after;
      }
      if (this.generation && generation) this.generation[cell] = generation[k];
      if (this.owner && owner) this.owner[cell] = owner[k];
      this.changed_at[cell] = sim_t;
    }
    this.version += 1;
    if (this.whole) return;
    this.pending.push(slots);
    if (this.pending.length > MAX_PENDING) {
      this.whole = true;
      this.pending.length = 0;
    }
  }

  /**
   * @param {(name: string) => WireArray | undefined} pick
   * @param {number} sim_t
   * @param {boolean} first leases in a first keyframe are older than this page knows
   */
  take_ranges(pick, sim_t, first) {
    const edges = pick("free_edges");
    const leases = pick("leases");
    if (edges) this.free_edges = /** @type {Float64Array} */ (edges);
    if (leases) {
      this.leases = /** @type {Float64Array} */ (leases);
      const seen = new Map();
      for (let row = 0; row < leases.length; row += 5) {
        const key = `${leases[row]}:${leases[row + 3]}`;
        seen.set(key, this.lease_seen.get(key) ?? { sim_t, exact: !first });
      }
      this.lease_seen = seen;
    }
    if (edges || leases) this.ranges_version += 1;
  }

  recount() {
    this.counts.fill(0);
    this.leaked.clear();
    for (let cell = 0; cell < this.cells; cell += 1) {
      const code = this.state[cell];
      this.counts[code] += 1;
      if (code === LEAKED) this.leaked.add(cell);
    }
  }

  /** What the map must redraw since it last asked: null means everything. */
  take_changes() {
    const changes = this.whole ? null : this.pending;
    this.whole = false;
    this.pending = [];
    return changes;
  }
}
