// @ts-check
// Reproduce and Try this remedy: asks the lab, shows before and after in numbers and small maps.
// The page is complete without it: the last recorded run is in the first response.

import { count } from "./format.js";
import { smallMap } from "./small_map.js";
import { toast } from "./toast.js";

/** @typedef {import("./small_map.js").PoolEnd} PoolEnd */
/**
 * @typedef {object} Observation
 * @property {number} offered @property {number} finished @property {number} rejected
 * @property {number} aborted @property {number} most_at_once @property {number} short_tokens
 * @property {Record<string, number>} codes @property {string[]} fatal
 * @property {Record<string, string>} messages
 * @property {Record<string, Record<string, number | string>>} numbers
 * @property {PoolEnd[]} pools @property {"failed" | "fullest" | "ended"} pools_when
 */
/**
 * @typedef {object} Result
 * @property {string} code @property {string} cause @property {Observation} before
 * @property {boolean} [reproduced] @property {string} [status] @property {string} [why]
 * @property {string} [meaning] @property {number} [values] @property {Observation} [after]
 */

const WHEN = { failed: "when it failed", fullest: "at its fullest", ended: "at the end" };
const code = document.querySelector("[data-code]")?.getAttribute("data-code") ?? "";

/** @param {string} verb @param {Record<string, string>} body @returns {Promise<Result | null>} */
async function ask(verb, body) {
  try {
    const answer = await fetch(`/api/errors/${encodeURIComponent(code)}/${verb}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return await answer.json();
    const problem = await answer.json().catch(() => ({}));
    toast("bad", problem.title ?? `The server answered ${answer.status}`, problem.detail ?? "");
  } catch {
    toast("bad", "The server could not be reached", "Nothing was run.");
  }
  return null;
}

/** @param {string} tag @param {string} [words] @param {string} [name] */
function el(tag, words = "", name = "") {
  const made = document.createElement(tag);
  made.textContent = words;
  if (name) made.className = name;
  return made;
}

/** @param {Observation} seen */
function failure(seen) {
  if (seen.codes[code]) {
    const numbers = Object.entries(seen.numbers[code] ?? {});
    const shown = numbers.map(([name, value]) => `${name} ${number(value)}`).join(", ");
    const times = seen.codes[code] === 1 ? "" : `, ${count(seen.codes[code])} times`;
    return `${code}${times}${shown ? `: ${shown}` : ""}`;
  }
  const instead = seen.fatal.filter((one) => one !== code);
  return instead.length ? `${instead.join(", ")} instead` : "nothing failed";
}

/** @param {number | string} value */
function number(value) {
  return typeof value === "number" ? count(value) : value;
}

/** @param {Observation} seen */
function ends(seen) {
  const parts = [`${count(seen.finished)} of ${count(seen.offered)} served`];
  if (seen.rejected) parts.push(`${count(seen.rejected)} turned away`);
  if (seen.aborted) parts.push(`${count(seen.aborted)} aborted`);
  if (seen.most_at_once) parts.push(`at most ${count(seen.most_at_once)} at once`);
  return parts.join(", ");
}

/**
 * @param {string} title @param {Observation} seen @param {string[]} pools names to draw
 * @returns {HTMLElement}
 */
function side(title, seen, pools) {
  const box = el("div", "", "seen");
  box.append(el("h4", title));
  const bad = Boolean(seen.codes[code] || seen.fatal.length);
  const failed = el("p", failure(seen), bad ? "bad" : "good");
  box.append(failed, el("p", ends(seen)));
  const when = WHEN[seen.pools_when];
  for (const pool of seen.pools)
    if (pools.includes(pool.name)) box.append(smallMap(pool, when));
  return box;
}

/** Pools that are not idle on both sides. @param {Observation[]} sides */
function busy(...sides) {
  const names = sides.flatMap((one) =>
    one.pools.filter((pool) => /[^0]/.test(pool.cells)).map((pool) => pool.name),
  );
  return [...new Set(names)];
}

/** @param {Element} place @param {Result} result */
function show(place, result) {
  const { before, after } = result;
  const box = /** @type {HTMLElement | null} */ (place.querySelector("[data-shown]"));
  if (!box) return;
  box.replaceChildren();
  if (after && result.status) {
    const head = el("p", "", "outcome");
    head.append(el("span", result.status, `badge st-${result.status}`), ` ${result.why}`);
    box.append(head, el("p", `${result.status}: ${result.meaning}.`, "faint"));
    if ((result.values ?? 1) > 1)
      box.append(el("p", `Tried at ${result.values} values; the best one is shown.`, "faint"));
  } else {
    box.append(el("p", result.reproduced ? "Reproduced just now." : "Did not reproduce.", "outcome"));
    const message = before.messages[code];
    if (message) box.append(el("pre", message.trim()));
  }
  const sides = el("div", "", "sides");
  const drawn = after ? busy(before, after) : busy(before);
  sides.append(side(after ? "Before" : "What happened", before, drawn));
  if (after) sides.append(side("After: the remedy taken", after, drawn));
  const more = el("p", "", "faint");
  const link = el("a", "The lab’s pools on the live page");
  link.setAttribute("href", "/?host=lab");
  more.append(link, ", until it has been idle for two minutes.");
  box.append(sides, more);
  box.hidden = false;
  const said = document.querySelector("[data-announce]");
  if (said) said.textContent = after ? `${result.status}. ${result.why}` : "Reproduced";
}

/** @param {HTMLButtonElement} button */
async function run(button) {
  const { reproduce, try: remedy, cause } = button.dataset;
  const place = button.closest("[data-cause]:not(button), [data-try-on]");
  if (!place) return;
  const words = button.innerHTML;
  button.disabled = true;
  button.textContent = "Running in the lab …";
  const result = reproduce
    ? await ask("reproduce", { cause: reproduce })
    : await ask("try", { remedy: remedy ?? "", cause: cause ?? "" });
  button.innerHTML = words;
  button.disabled = false;
  if (result) show(place, result);
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const button = target?.closest("button[data-reproduce], button[data-try]");
  if (button instanceof HTMLButtonElement && !button.disabled) void run(button);
});
