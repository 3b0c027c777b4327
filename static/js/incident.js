// @ts-check
// Entry of an incident's page: the live page's charts over a recording that can be scrubbed.

import { bind } from "./bind.js";
import { cards } from "./cards.js";
import { events } from "./events.js";
import { clock, duration } from "./format.js";
import { Palette } from "./palette.js";
import { Panels } from "./panel.js";
import { Store } from "./store.js";
import { Timeline } from "./timeline.js";
import { verdict } from "./verdict.js";
import { recall, remember } from "./view_state.js";
import { wanted } from "./wanted.js";

const page = JSON.parse(document.getElementById("page-data")?.textContent || "{}");
const store = new Store(page);
store.recorded = true;
const palette = new Palette();
const chosen = recall("pool");
if (chosen && chosen in store.pools) store.selected = chosen;
const parts = [bind(store, document), cards(store), verdict(store), events(store)];
const panels = new Panels(store, palette, {
  still: () => true,
  before: () => {
    for (const part of parts) part();
  },
});
const bar = /** @type {HTMLElement} */ (document.querySelector("[data-timeline]"));
const slider = /** @type {HTMLInputElement} */ (bar.querySelector("[data-seek]"));
const play = /** @type {HTMLButtonElement} */ (bar.querySelector("[data-play]"));
const said = /** @type {HTMLOutputElement} */ (bar.querySelector("[data-at]"));
let playing = 0;

/** @param {Timeline} timeline @param {number} to */
function show(timeline, to) {
  timeline.seek(to);
  slider.value = String(timeline.at);
  const from_event = store.t - page.incident.opened_t;
  const side = from_event > 0 ? "after" : "before";
  const words = `${duration(Math.abs(from_event))} ${side} the event`;
  said.textContent = `${words} · simulated ${clock(store.sim_t)} · ${timeline.at + 1} of ${timeline.length}`;
  slider.setAttribute("aria-valuetext", words);
  remember("at", String(timeline.at));
}

/** @param {Timeline} timeline */
function stop(timeline) {
  clearTimeout(playing);
  playing = 0;
  play.setAttribute("aria-pressed", "false");
  play.firstChild?.replaceWith("play ");
  if (timeline.at >= timeline.length - 1) play.firstChild?.replaceWith("again ");
}

/** As fast as it was recorded. @param {Timeline} timeline */
function run(timeline) {
  const { scalars, at } = timeline;
  if (at >= timeline.length - 1) {
    stop(timeline);
    return;
  }
  const gap_s = Math.min(Math.max(scalars[at + 1].t - scalars[at].t, 0.02), 1);
  playing = setTimeout(() => {
    show(timeline, timeline.at + 1);
    run(timeline);
  }, 1000 * gap_s);
}

/** @param {Timeline} timeline */
function toggle(timeline) {
  if (playing) {
    stop(timeline);
    return;
  }
  if (timeline.at >= timeline.length - 1) show(timeline, 0);
  play.setAttribute("aria-pressed", "true");
  play.firstChild?.replaceWith("pause ");
  run(timeline);
}

/** @param {Timeline} timeline @param {number} event_at */
function listen(timeline, event_at) {
  const go = (/** @type {number} */ to) => {
    stop(timeline);
    show(timeline, to);
  };
  slider.oninput = () => go(Number(slider.value));
  play.onclick = () => toggle(timeline);
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll("[data-step]")))
    button.onclick = () => go(timeline.at + Number(button.dataset.step));
  /** @type {HTMLElement} */ (bar.querySelector("[data-event]")).onclick = () => go(event_at);
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input, canvas, [role=button], summary") && target !== slider) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") {
      if (target.closest("button")) return;
      event.preventDefault();
      toggle(timeline);
    } else if (target !== slider && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      go(timeline.at + (event.key === "ArrowLeft" ? -1 : 1));
    }
  });
}

async function load() {
  const answer = await fetch(`/api/incidents/${page.incident.id}/frames`);
  const words = document.querySelector("[data-recording]");
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    if (words) words.textContent = `${problem.detail ?? "The recording could not be fetched"}.`;
    return;
  }
  const timeline = new Timeline(store, await answer.arrayBuffer());
  if (!timeline.length) return;
  store.series.fix(/** @type {any} */ (timeline.scalars));
  store.shapes = /** @type {any} */ (timeline.frames[0].header).pools ?? {};
  store.want(wanted(store));
  const event_at = timeline.instant_at(page.incident.opened_t);
  slider.max = String(timeline.length - 1);
  bar.hidden = false;
  listen(timeline, event_at);
  const asked = Number(recall("at") ?? event_at);
  show(timeline, Number.isInteger(asked) ? asked : event_at);
  store.listeners.push((kind) => {
    if (kind === "select") {
      remember("pool", store.selected);
      store.want(wanted(store));
      timeline.applied = Infinity;
      timeline.seek(timeline.at);
    }
    panels.invalidate_all();
  });
  panels.invalidate_all();
}

document.addEventListener("themechange", () => {
  palette.read();
  panels.invalidate_all();
});
panels.mount(document);
load();
