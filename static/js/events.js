// @ts-check
// The feed of events, newest first, and the caption that tells the story.

import { clock } from "./format.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./types.d.ts").PoolEvent} PoolEvent */

const SHOWN = 60;

/** @param {Store} store @returns {() => void} */
export function events(store) {
  const list = document.querySelector("[data-events]");
  const caption = document.querySelector("[data-caption-text]");
  let log = store.log;
  let last = store.event_seq;
  return () => {
    const said = story(store);
    if (caption && caption.textContent !== said) caption.textContent = said;
    if (!list) return;
    if (store.log !== log) {
      log = store.log;
      last = 0;
      list.replaceChildren();
    }
    if (store.event_seq <= last && list.childElementCount) return;
    const fresh = store.events.filter((event) => event.event_seq > last);
    if (!fresh.length) return;
    list.querySelector("[data-empty]")?.remove();
    for (const event of fresh) {
      const newest = store.events[store.events.indexOf(event) - 1];
      if (newest && event.sim_t < newest.sim_t - 1) list.prepend(divider());
      list.prepend(item(event));
    }
    while (list.childElementCount > SHOWN) list.lastElementChild?.remove();
    last = store.event_seq;
  };
}

/** What happens now; a workload without captions tells what to look at. @param {Store} store */
function story(store) {
  const { caption, workload } = store.engine;
  if (caption) return caption;
  const { title, look } = workload?.info ?? {};
  return title ? `${title}${look ? `: ${look}` : ""}` : (workload?.name ?? "No caption yet.");
}

/** Simulated time starts again with each run. */
function divider() {
  const li = document.createElement("li");
  li.className = "run";
  li.textContent = "a new run began here";
  return li;
}

/** @param {PoolEvent} event */
function item(event) {
  const li = document.createElement("li");
  li.className = "event";
  li.dataset.level = event.level;
  li.dataset.kind = event.code ? "error" : "mark";
  const time = document.createElement("time");
  time.textContent = clock(event.sim_t);
  const text = document.createElement("p");
  const level = document.createElement("span");
  level.className = "sr-only";
  level.textContent = `${event.level}: `;
  text.append(level, event.message);
  const body = document.createElement("div");
  body.append(text);
  if (event.href && event.code) body.append(link(event.href, `${event.code} →`));
  if (event.incident) body.append(" ", link(`/incidents/${event.incident}`, "replay →"));
  li.append(time, body);
  return li;
}

/** @param {string} href @param {string} words */
function link(href, words) {
  const a = document.createElement("a");
  a.href = href;
  a.textContent = words;
  return a;
}
