// @ts-check
// The websocket: subscribe, acknowledge, ask again after a gap, reconnect with back-off and resume.

import { decode } from "./frame.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{phase: "connecting" | "open" | "closed", retry_at: number, reason: string}} Line */

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** A connection that lasted this long starts the back-off afresh. */
const STABLE_MS = 5_000;
const ACK_MS = 1_000;
const RESYNC_MS = 1_000;
/** Without any message for this long the connection is taken for dead. */
const SILENT_MS = 10_000;

export class Stream {
  /**
   * @param {Store} store
   * @param {() => number} max_hz how often this page wants news now
   */
  constructor(store, max_hz) {
    this.store = store;
    this.max_hz = max_hz;
    /** @type {Line} */
    this.line = { phase: "connecting", retry_at: 0, reason: "" };
    /** @type {WebSocket | null} */
    this.socket = null;
    this.wait_ms = FIRST_WAIT_MS;
    this.opened_ms = 0;
    this.heard_ms = 0;
    this.acked_seq = 0;
    /** While true, state frames are let pass by; events and heartbeats are still taken. */
    this.frozen = false;
    /** @type {Map<string, number>} */
    this.asked = new Map();
    this.timer = 0;
    /** Smallest clock difference seen; ages are relative to it, so clocks need not agree. */
    this.skew_s = Infinity;
    store.on_lost = (pool) => this.resync(pool);
    setInterval(() => this.tend(), ACK_MS);
  }

  connect() {
    clearTimeout(this.timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const url = `${scheme}://${location.host}/ws?host=${encodeURIComponent(this.store.host)}`;
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.line = { phase: "connecting", retry_at: 0, reason: this.line.reason };
    this.heard_ms = performance.now();
    socket.onopen = () => {
      this.opened_ms = performance.now();
      this.line = { phase: "open", retry_at: 0, reason: "" };
      this.subscribe(true);
    };
    socket.onmessage = (message) => this.take(message.data);
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event.reason);
    };
  }

  /** @param {ArrayBuffer | string} message */
  take(message) {
    this.heard_ms = performance.now();
    try {
      const frame = decode(message);
      const { kind } = frame.header;
      if (typeof frame.header.t === "number") {
        this.skew_s = Math.min(this.skew_s, Date.now() / 1000 - frame.header.t);
      }
      if (kind === "error") this.line.reason = `${frame.header.title}: ${frame.header.detail}`;
      const state = kind === "scalars" || kind === "keyframe" || kind === "delta";
      if (this.frozen && state) return;
      this.store.apply(frame);
    } catch (error) {
      // one bad frame must not end the page; the next keyframe repairs what it broke
      console.error("poolscope: frame dropped", error);
    }
  }

  /** Seconds since the newest scalars were taken, as this page can know. */
  age_s() {
    return Math.max(
      0,
      Date.now() / 1000 - this.store.t - (this.skew_s === Infinity ? 0 : this.skew_s),
    );
  }

  /** @param {boolean} [resume] */
  subscribe(resume = false) {
    const { store } = this;
    const seq = store.state_seq;
    this.send({
      kind: "subscribe",
      host: store.host,
      pools: [...store.wanted],
      views: [],
      max_hz: this.max_hz(),
      ...(resume && store.epoch
        ? { resume: { epoch: store.epoch, seq, event_seq: store.event_seq } }
        : {}),
    });
  }

  /** Asks for a keyframe, at most once a second per pool. @param {string} pool */
  resync(pool) {
    const now = performance.now();
    if (now - (this.asked.get(pool) ?? -Infinity) < RESYNC_MS) return;
    this.asked.set(pool, now);
    this.send({ kind: "resync", pool });
  }

  /** @param {boolean} frozen */
  freeze(frozen) {
    this.frozen = frozen;
    if (!frozen) for (const pool of this.store.wanted) this.resync(pool);
  }

  /** What was drawn is said once a second; silence is noticed. */
  tend() {
    if (this.line.phase !== "open") return;
    if (performance.now() - this.heard_ms > SILENT_MS) this.socket?.close();
    // a hidden page draws nothing, but it does keep up
    const seq = document.hidden ? this.store.seq : this.store.drawn_seq;
    if (seq !== this.acked_seq) {
      this.acked_seq = seq;
      this.send({ kind: "ack", seq: this.acked_seq });
    }
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {string} reason */
  lost(reason) {
    if (performance.now() - this.opened_ms > STABLE_MS && this.line.phase === "open") {
      this.wait_ms = FIRST_WAIT_MS;
    }
    // full jitter, so that a thousand viewers do not come back at the same moment
    const wait = this.wait_ms * (0.5 + 0.5 * Math.random());
    this.wait_ms = Math.min(2 * this.wait_ms, MAX_WAIT_MS);
    this.line = {
      phase: "closed",
      retry_at: performance.now() + wait,
      reason: reason || this.line.reason,
    };
    this.skew_s = Infinity;
    this.timer = setTimeout(() => this.connect(), wait);
    this.store.emit("line");
  }
}
