// @ts-check
// What one can do to the workload, and the keyboard. Refusals come back as problem documents.

import { toast } from "./toast.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./stream.js").Stream} Stream */

const DONE = /** @type {Record<string, string>} */ ({
  restart: "The workload starts again.",
  load: "The trace is loaded.",
  scenario: "The scenario starts.",
  inject: "The fault is injected.",
});

/** @param {string} host @param {string} command @param {Record<string, unknown>} body */
async function post(host, command, body) {
  try {
    const answer = await fetch(`/api/workload/${command}?host=${encodeURIComponent(host)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) {
      if (command in DONE) toast("good", DONE[command]);
      return true;
    }
    const problem = await answer.json().catch(() => ({}));
    toast("bad", problem.title ?? `The server answered ${answer.status}`, problem.detail ?? "");
  } catch {
    toast("bad", "The server could not be reached", `${command} was not done.`);
  }
  return false;
}

/**
 * @param {Store} store @param {Stream} stream
 * @returns {() => void} brings the controls up to date
 */
export function controls(store, stream) {
  const { read_only } = store.page;
  const run = (/** @type {string} */ command, /** @type {Record<string, unknown>} */ body = {}) =>
    post(store.host, command, body);
  /** @type {Record<string, (el: HTMLElement) => void>} */
  const actions = {
    pause: async () => {
      if (read_only) stream.freeze(!stream.frozen);
      else if (await run(store.paused ? "resume" : "pause")) store.paused = !store.paused;
      store.emit("paused");
    },
    step: () => !read_only && run("step", { steps: 1 }),
    restart: () => run("restart"),
    load: (el) => run("load", { trace: el.dataset.arg }),
    scenario: (el) => run("scenario", { scenario: el.dataset.arg }),
    inject: async (el) => {
      if ("confirm" in el.dataset && !(await ask(`Inject “${el.dataset.label}”?`))) return;
      run("inject", { fault: el.dataset.arg });
    },
    help: () => show_help(),
  };
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const el = /** @type {HTMLElement | null} */ (event.target.closest("button[data-do]"));
    if (el) {
      el.closest("details.menu")?.removeAttribute("open");
      actions[el.dataset.do ?? ""]?.(el);
    }
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.removeAttribute("open");
    }
  });
  const speed = /** @type {HTMLSelectElement | null} */ (
    document.querySelector('select[data-do="speed"]')
  );
  speed?.addEventListener("change", () => {
    run("speed", { x: speed.value === "max" ? "max" : Number(speed.value) });
    speed.blur();
  });
  shortcuts(store, actions);
  return () => refresh(store, stream, speed);
}

/** @param {Store} store @param {Stream} stream @param {HTMLSelectElement | null} speed */
function refresh(store, stream, speed) {
  const button = document.querySelector('button[data-do="pause"]');
  const word = button?.querySelector("[data-pause-word]");
  const held = store.page.read_only ? stream.frozen : store.paused;
  const text = store.page.read_only ? (held ? "unfreeze" : "freeze") : held ? "resume" : "pause";
  button?.setAttribute("aria-pressed", String(held));
  if (word && word.textContent !== text) word.textContent = text;
  if (!speed || store.speed === null || document.activeElement === speed) return;
  const value = String(store.speed);
  if (speed.value === value) return;
  if (![...speed.options].some((option) => option.value === value))
    speed.add(new Option(`×${value}`, value));
  speed.value = value;
}

/** @param {Store} store @param {Record<string, (el: HTMLElement) => void>} actions */
function shortcuts(store, actions) {
  // After a click with a pointer the keys belong to the page again: space pauses.
  document.addEventListener("click", (event) => {
    const pressed = /** @type {HTMLElement} */ (event.target).closest("button");
    if (event.detail > 0) pressed?.blur();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const at = /** @type {HTMLElement} */ (event.target);
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll("details.menu[open]")) {
        menu.removeAttribute("open");
        menu.querySelector("summary")?.focus();
      }
      return;
    }
    if (at.closest("input, select, textarea, dialog, [contenteditable]")) return;
    // space belongs to what has the focus, if that can be pressed
    if (event.key === " " && at.closest("button, summary, a")) return;
    if (event.key === " ") actions.pause(at);
    else if (event.key === ".") actions.step(at);
    else if (event.key === "?") actions.help(at);
    else if (event.key === "t") document.dispatchEvent(new CustomEvent("themetoggle"));
    else if (event.key === "m")
      /** @type {HTMLElement | null} */ (document.querySelector("[data-map]"))?.focus();
    else if (/^[1-9]$/.test(event.key)) {
      const name = store.page.pools[Number(event.key) - 1]?.name;
      if (name && document.querySelector(`[data-select="${name}"]`)) store.select(name);
    } else return;
    event.preventDefault();
  });
}

function show_help() {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("[data-help]"));
  if (dialog && !dialog.open) dialog.showModal();
}

/** @param {string} title @returns {Promise<boolean>} */
function ask(title) {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector("[data-ask]"));
  if (!dialog) return Promise.resolve(window.confirm(title));
  const head = dialog.querySelector("[data-ask-title]");
  if (head) head.textContent = title;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
