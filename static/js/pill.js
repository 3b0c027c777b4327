// @ts-check
// How fresh the page is, always in sight: LIVE n ms, PAUSED, STALE n s, DISCONNECTED, CRASHED.

import { clock, duration } from "./format.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./stream.js").Stream} Stream */

const STALE_S = 3;
/** States in which what is shown is not the present. */
const OLD = ["stale", "disconnected", "crashed", "restarting", "starting"];
const EVERY_MS = 500;

/** @param {Store} store @param {Stream} stream @returns {() => void} */
export function pill(store, stream) {
  const el = /** @type {HTMLElement | null} */ (document.querySelector("[data-pill]"));
  const notice = /** @type {HTMLElement | null} */ (document.querySelector("[data-notice]"));
  const announce = document.querySelector("[data-announce]");
  let before = "";
  const show = () => {
    const now = judge(store, stream);
    const old = OLD.includes(now.state);
    if (el) {
      el.dataset.state = now.state;
      if (el.textContent !== now.text) el.textContent = now.text;
    }
    document.body.classList.toggle("is-old", old && now.state !== "starting");
    if (notice) {
      notice.hidden = !now.notice;
      if (notice.textContent !== now.notice) notice.textContent = now.notice;
    }
    if (before && before !== now.state && announce) announce.textContent = `Now ${now.state}.`;
    before = now.state;
  };
  setInterval(show, EVERY_MS);
  return show;
}

/** @param {Store} store @param {Stream} stream @returns {{state: string, text: string, notice: string}} */
function judge(store, stream) {
  const { line } = stream;
  const last = `What you see is the last frame, of simulated time ${clock(store.sim_t)}.`;
  if (line.phase !== "open") {
    const wait = Math.max(0, line.retry_at - performance.now());
    const next = line.phase === "connecting" ? "connecting" : `again in ${duration(wait / 1000)}`;
    if (!store.t)
      return { state: "disconnected", text: line.reason ? "NO HOST" : "CONNECTING", notice: "" };
    return {
      state: "disconnected",
      text: "DISCONNECTED",
      notice: `The connection to this page's server is lost, ${next}. ${last} ${line.reason}`,
    };
  }
  const { state, note, engine_age_s } = store.health;
  if (state === "crashed" || state === "restarting") {
    const notice = `The pool host stopped${note ? `: ${note}` : ""}. It restarts by itself. ${last}`;
    return { state, text: "CRASHED · restarting", notice };
  }
  if (state === "starting" && store.t > 0) {
    const notice = `The pool host stopped and is starting again. ${last}`;
    return { state: "restarting", text: "CRASHED · restarting", notice };
  }
  if (state === "starting") return { state, text: "STARTING", notice: "" };
  if (state === "disconnected") {
    return {
      state,
      text: "DISCONNECTED",
      notice: `The pool host left${note ? `: ${note}` : ""}. ${last}`,
    };
  }
  if (stream.frozen) return { state: "frozen", text: "FROZEN", notice: "" };
  if (store.paused) return { state: "paused", text: "PAUSED", notice: "" };
  const age = Math.max(stream.age_s(), engine_age_s ?? 0);
  if (state === "stale" || (store.t > 0 && age > STALE_S)) {
    return {
      state: "stale",
      text: `STALE ${duration(age)}`,
      notice: `No new numbers for ${duration(age)}: the engine is stuck or its host is busy. ${last}`,
    };
  }
  return { state: "live", text: store.t ? `LIVE ${duration(age)}` : "LIVE", notice: "" };
}
