// @ts-check
// Entry of the live pages: store, stream, bindings and charts are made here and wired once.

import { bind } from "./bind.js";
import { cards } from "./cards.js";
import { controls } from "./controls.js";
import { events } from "./events.js";
import { clock } from "./format.js";
import { Palette } from "./palette.js";
import { Panels } from "./panel.js";
import { pill } from "./pill.js";
import { Store } from "./store.js";
import { Stream } from "./stream.js";
import { verdict } from "./verdict.js";
import { recall, remember } from "./view_state.js";
import { wanted } from "./wanted.js";

const LIVE_HZ = 20;
const CALM_HZ = 4;
const HIDDEN_HZ = 0.5;
const HISTORY_POINTS = 600;
const RELOAD_KEY = "poolscope.reloaded";

const source = document.getElementById("page-data");
const store = new Store(JSON.parse(source?.textContent || "{}"));
const palette = new Palette();
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const stream = new Stream(store, () =>
  document.hidden ? HIDDEN_HZ : calm.matches ? CALM_HZ : LIVE_HZ,
);

const chosen = recall("pool");
const can_choose = document.querySelector("[data-select]") !== null;
if (can_choose && chosen && chosen in store.pools) store.selected = chosen;

const parts = [
  bind(store, document),
  cards(store),
  verdict(store),
  events(store),
  controls(store, stream),
  header(),
];
const show_pill = pill(store, stream);
let fresh = true;
const panels = new Panels(store, palette, {
  still: () => store.paused || stream.frozen,
  before: () => {
    if (!fresh) return;
    fresh = false;
    for (const part of parts) part();
    store.drawn_seq = store.seq;
  },
});

/** Cells are asked for only where they are drawn. */
function want() {
  const now = wanted(store);
  if (now.size === store.wanted.size && [...now].every((name) => store.wanted.has(name))) return;
  store.want(now);
  stream.subscribe();
}

/** Words of the header that no binding covers. */
function header() {
  const time = document.querySelector("[data-sim-clock]");
  const word = document.querySelector("[data-source]");
  const load = document.querySelector("[data-workload]");
  const speed = document.querySelector("[data-speed-word]");
  return () => {
    if (time) time.textContent = clock(store.sim_t);
    if (word && store.source && word.textContent !== store.source) word.textContent = store.source;
    const name = store.engine.workload?.name;
    if (load && name && load.textContent !== name) load.textContent = name;
    if (speed && store.speed !== null)
      speed.textContent = store.speed === "max" ? "max" : `×${store.speed}`;
  };
}

/** The page was made for the pools of its first response; others need another page. */
function reload_if_foreign() {
  const names = Object.keys(store.pools);
  const foreign = names.some((name) => !store.page.pools.some((pool) => pool.name === name));
  if (!foreign) {
    sessionStorage.removeItem(RELOAD_KEY);
    return;
  }
  if (sessionStorage.getItem(RELOAD_KEY) === names.join()) return;
  sessionStorage.setItem(RELOAD_KEY, names.join());
  location.reload();
}

async function backlog() {
  for (const pool of store.page.pools) {
    const query = new URLSearchParams({
      host: store.host,
      pool: pool.name,
      points: String(HISTORY_POINTS),
    });
    try {
      const answer = await fetch(`/api/history?${query}`);
      if (answer.ok) store.series.backlog(pool.name, (await answer.json()).items);
    } catch {
      // the history then begins with this page
    }
  }
  panels.invalidate_all();
}

store.listeners.push((kind) => {
  if (kind === "hello" || kind === "select") want();
  if (kind === "select") remember("pool", store.selected);
  if (kind === "scalars") reload_if_foreign();
  if (kind === "hello") backlog();
  if (kind !== "scalars" && kind !== "delta") show_pill();
  fresh = true;
  panels.invalidate_all();
});
document.addEventListener("themechange", () => {
  palette.read();
  panels.invalidate_all();
});
document.addEventListener("visibilitychange", () => stream.subscribe());
document.addEventListener("toggle", () => panels.invalidate_all(), true);

want();
panels.mount(document);
panels.request();
stream.connect();
backlog();
