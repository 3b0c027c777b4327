// @ts-check
// A recording as instants: each sample with the cells as they were then, in either direction.

import { decode } from "./frame.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./types.d.ts").Frame} Frame */

const HEAD_BYTES = 5;

export class Timeline {
  /** @param {Store} store @param {ArrayBuffer} raw `[u32 length | u8 kind][message]`, kind 1 binary */
  constructor(store, raw) {
    this.store = store;
    this.frames = [...split(raw)];
    /** Places in `frames` at which a sample is whole: its cells come before the next sample. */
    this.instants = this.frames
      .map((frame, at) => (frame.header.kind === "scalars" ? at : -1))
      .filter((at) => at >= 0);
    this.at = -1;
    /** Frames up to here have been applied. */
    this.applied = -1;
  }

  get length() {
    return this.instants.length;
  }

  get scalars() {
    return this.instants.map((at) => this.frames[at].header);
  }

  /** The last instant that is not after `t`, wall seconds. @param {number} t */
  instant_at(t) {
    const at = this.scalars.findLastIndex((header) => header.t <= t);
    return Math.max(at, 0);
  }

  /** Show instant `to`; forward applies what lies between, backward starts from a whole state. @param {number} to */
  seek(to) {
    const at = Math.max(0, Math.min(to, this.length - 1));
    const next = this.instants[at + 1] ?? this.frames.length;
    const { store } = this;
    const { listeners, on_lost } = store;
    store.listeners = [];
    store.on_lost = () => {};
    if (next <= this.applied + 1) this.applied = this.whole_before(this.instants[at]) - 1;
    for (let one = this.applied + 1; one < next; one += 1) store.apply(this.frames[one]);
    this.applied = next - 1;
    this.at = at;
    store.listeners = listeners;
    store.on_lost = on_lost;
    store.emit("scalars");
  }

  /** Where the segment begins that holds a place. @param {number} place */
  whole_before(place) {
    for (let at = place; at > 0; at -= 1) if (this.frames[at].header.kind === "hello") return at;
    return 0;
  }
}

/** @param {ArrayBuffer} raw @returns {Generator<Frame>} */
function* split(raw) {
  const view = new DataView(raw);
  const text = new TextDecoder();
  let at = 0;
  while (at + HEAD_BYTES <= raw.byteLength) {
    const length = view.getUint32(at, true);
    const binary = view.getUint8(at + 4) === 1;
    at += HEAD_BYTES;
    // a copy: arrays in a frame are views that must begin at a multiple of 8
    const body = raw.slice(at, at + length);
    yield decode(binary ? body : text.decode(body));
    at += length;
  }
}
