// @ts-check
// The single source of truth: frames go in, charts and bindings read. It never draws or fetches.

import { Geometry } from "./geometry.js";
import { Series } from "./series.js";

/** @typedef {import("./types.d.ts").PoolSnapshot} PoolSnapshot */
/** @typedef {import("./types.d.ts").PoolShape} PoolShape */
/** @typedef {import("./types.d.ts").PoolEvent} PoolEvent */
/** @typedef {import("./types.d.ts").Frame} Frame */
/** @typedef {import("./types.d.ts").PageData} PageData */
/** @typedef {import("./types.d.ts").Header} Header */

const MAX_EVENTS = 200;

export class Store {
  /** @param {PageData & Record<string, any>} page what the server rendered the page from */
  constructor(page) {
    this.page = page;
    this.host = page.host?.name ?? "local";
    this.epoch = 0;
    this.source = page.host?.source ?? "";
    /** Whether frames come from a recording, whose end is known. */
    this.recorded = false;
    /** Seq and times of the latest scalars. */
    this.seq = 0;
    /** Seq that is on the screen. */
    this.drawn_seq = 0;
    this.t = 0;
    this.sim_t = Number(page.engine?.sim_t ?? 0);
    this.paused = Boolean(page.scalars?.paused);
    this.speed = /** @type {number | string | null} */ (page.scalars?.speed ?? null);
    /** @type {Record<string, PoolSnapshot>} */
    this.pools = Object.fromEntries(page.pools.map((pool) => [pool.name, pool]));
    /** @type {Record<string, PoolShape>} */
    this.shapes = page.hello?.pools ?? {};
    /** @type {Record<string, any>} */
    this.engine = page.engine ?? {};
    this.workload = page.hello?.workload ?? null;
    this.verdict = page.verdict;
    /** Newest last. @type {PoolEvent[]} */
    this.events = [...page.events].sort((a, b) => a.event_seq - b.event_seq);
    this.event_seq = this.events.at(-1)?.event_seq ?? 0;
    /** Bumped when the list of events begins anew. */
    this.log = 0;
    /** Events up to here are of an earlier run, whose simulated times mean nothing now. */
    this.run_event_seq = 0;
    this.health = { state: page.host?.state ?? "disconnected", note: "", engine_age_s: 0 };
    this.selected = page.selected ?? page.pools[0]?.name ?? "";
    /** @type {Map<string, Geometry>} */
    this.geometry = new Map();
    this.series = new Series();
    /** Pools whose cells this page wants. @type {Set<string>} */
    this.wanted = new Set();
    /** Called with a pool whose thread is lost. @type {(pool: string) => void} */
    this.on_lost = () => {};
    /** Called after each frame that changed something, with its kind. @type {((kind: string) => void)[]} */
    this.listeners = [];
  }

  /** Seq of the oldest geometry held, for resuming; 0 when nothing can be resumed. */
  get state_seq() {
    const seqs = [...this.geometry.values()].map((one) => (one.ready ? one.seq : 0));
    return seqs.length ? Math.min(...seqs) : 0;
  }

  /** @param {Frame} frame @throws {Error} on a frame that does not fit */
  apply({ header, arrays }) {
    const kind = header.kind;
    if (kind === "hello") this.hello(header);
    else if (kind === "scalars") this.scalars(header);
    else if (kind === "keyframe") this.keyframe(header, arrays);
    else if (kind === "delta") this.delta(header, arrays);
    else if (kind === "event") this.event(/** @type {any} */ (header));
    else if (kind === "gap") this.gap(header);
    else if (kind === "heartbeat") this.heartbeat(header);
    else return;
    this.emit(kind);
  }

  /** @param {string} kind */
  emit(kind) {
    for (const listener of this.listeners) listener(kind);
  }

  /** @param {string} pool */
  select(pool) {
    if (pool === this.selected || !(pool in this.pools)) return;
    this.selected = pool;
    this.emit("select");
  }

  /** @param {Header} header */
  hello(header) {
    // Events stay over a host's restart: why the last one died is wanted most now.
    this.epoch = header.epoch;
    this.source = header.source;
    this.shapes = header.pools;
    this.workload = header.workload;
    this.geometry.clear();
    this.series.clear();
    for (const pool of Object.keys(this.pools))
      if (!(pool in header.pools)) delete this.pools[pool];
  }

  /** @param {Header} header */
  scalars(header) {
    if (this.epoch === 0) this.epoch = header.epoch;
    if (header.sim_t < this.sim_t - 1) {
      this.series.clear(header.t);
      this.run_event_seq = this.event_seq;
    }
    this.seq = header.seq;
    this.t = header.t;
    this.sim_t = header.sim_t;
    this.source = header.source;
    this.pools = header.pools;
    this.engine = header.engine ?? {};
    this.verdict = header.verdict ?? null;
    this.paused = Boolean(header.paused);
    this.speed = header.speed ?? null;
    // numbers that flow are the first sign of a host that is back
    this.health = { ...this.health, state: this.paused ? "paused" : "live" };
    this.series.append(header.sim_t, header.pools, this.engine);
  }

  /** @param {Header} header @param {Frame["arrays"]} arrays */
  keyframe(header, arrays) {
    const shape = this.shapes[header.pool];
    if (!shape || !this.wanted.has(header.pool)) return;
    const cells = header.cells ?? shape.cells;
    let geometry = this.geometry.get(header.pool);
    if (!geometry || geometry.cells !== cells) {
      geometry = new Geometry({ ...shape, cells });
      this.geometry.set(header.pool, geometry);
    }
    geometry.keyframe(header, arrays, header.sim_t ?? this.sim_t);
  }

  /**
   * A delta of absolute values fits any state between its base and itself.
   * @param {Header} header
   * @param {Frame["arrays"]} arrays
   */
  delta(header, arrays) {
    for (const pool of header.pools ?? this.wanted) {
      if (!this.wanted.has(pool)) continue;
      const geometry = this.geometry.get(pool);
      if (!geometry?.ready || geometry.seq < header.base_seq) this.on_lost(pool);
      else if (header.seq >= geometry.seq) {
        geometry.delta(pool, header, arrays, header.sim_t ?? this.sim_t);
      }
    }
  }

  /** A paused host may send no scalars, so its state is taken from here too. @param {Header} header */
  heartbeat(header) {
    this.health = /** @type {any} */ (header);
    if (header.state === "paused" || header.state === "live")
      this.paused = header.state === "paused";
  }

  /** @param {PoolEvent} event */
  event(event) {
    if (event.event_seq <= this.event_seq) {
      const known = this.events.find((one) => one.event_seq === event.event_seq);
      if (!known || known.t === event.t) return;
      // the same number for another event: the server began to count afresh
      this.events = [];
      this.log += 1;
    }
    this.event_seq = event.event_seq;
    this.events.push(event);
    if (this.events.length > MAX_EVENTS) this.events.splice(0, this.events.length - MAX_EVENTS);
  }

  /** Events that the server no longer holds: said, not hidden. @param {Header} header */
  gap(header) {
    const lost = header.to - header.from + 1;
    this.event(
      /** @type {PoolEvent} */ ({
        kind: "event",
        event_seq: header.to,
        t: this.t,
        sim_t: this.sim_t,
        pool: null,
        level: "warning",
        code: null,
        numbers: {},
        href: null,
        message: `${lost} events were not sent (${header.from}–${header.to}).`,
      }),
    );
  }

  /** Pools whose cells are no longer wanted free their memory. @param {Iterable<string>} pools */
  want(pools) {
    this.wanted = new Set(pools);
    for (const name of this.geometry.keys()) {
      if (!this.wanted.has(name)) this.geometry.delete(name);
    }
  }
}
