// @ts-check
// Numbers to words. Amounts and clocks follow the same rules as templates/_macros.html.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const two = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const one = new Intl.NumberFormat("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const STEPS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** @param {number | null | undefined} n */
export function count(n) {
  if (n === null || n === undefined || Number.isNaN(n)) return "–";
  return Number.isInteger(n) ? whole.format(n) : two.format(n);
}

/** @param {number | null | undefined} n */
export function bytes(n) {
  if (n === null || n === undefined || Number.isNaN(n)) return "–";
  let step = 0;
  let scaled = n;
  while (Math.abs(scaled) >= 1024 && step < STEPS.length - 1) {
    scaled /= 1024;
    step += 1;
  }
  return `${Number.isInteger(scaled) ? whole.format(scaled) : one.format(scaled)} ${STEPS[step]}`;
}

/**
 * The number without its unit word, except that bytes carry theirs.
 * @param {number | null | undefined} n
 * @param {string} unit
 */
export function value(n, unit) {
  return unit === "bytes" ? bytes(n) : count(n);
}

/**
 * The number with its unit.
 * @param {number | null | undefined} n
 * @param {string} unit
 */
export function amount(n, unit) {
  return unit === "bytes" ? bytes(n) : n === null || n === undefined ? "–" : counted(n, unit);
}

/** @param {number} part @param {number} of */
export function share(part, of) {
  return `${((100 * part) / Math.max(of, 1)).toFixed(1)} %`;
}

/** hh:mm:ss of simulated seconds. @param {number | null | undefined} s */
export function clock(s) {
  const whole_s = Math.floor(s ?? 0);
  const pad = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `${pad(Math.floor(whole_s / 3600))}:${pad(Math.floor(whole_s / 60) % 60)}:${pad(whole_s % 60)}`;
}

const SPANS = /** @type {const} */ ([
  [365.25 * 86400, "years"],
  [86400, "days"],
  [3600, "hours"],
  [60, "minutes"],
]);

/** A length of time in the largest fitting unit. @param {number | null | undefined} s */
export function duration(s) {
  if (s === null || s === undefined) return "–";
  for (const [size, name] of SPANS) if (s >= 2 * size) return `${count(round(s / size))} ${name}`;
  if (s >= 10) return `${Math.round(s)} s`;
  if (s >= 1) return `${s.toFixed(1)} s`;
  return `${Math.round(s * 1000)} ms`;
}

/** Three significant figures below a hundred. @param {number} n */
function round(n) {
  return n >= 100 ? Math.round(n) : Math.round(n * 10) / 10;
}

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** "2¹⁶". @param {number} exponent */
export function power(exponent) {
  return `2${[...String(exponent)].map((digit) => SUPERSCRIPT[Number(digit)]).join("")}`;
}

/** "1 hole", "2 holes". @param {number} n @param {string} words plural */
export function counted(n, words) {
  return `${count(n)} ${n === 1 ? singular(words) : words}`;
}

/** The word for one of a unit: "pages" is "page". @param {string} unit */
export function singular(unit) {
  return unit.endsWith("s") ? unit.slice(0, -1) : unit;
}

const FLAG = /(--[a-z][a-z0-9-]*|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b)/;

/**
 * Text with flags and environment names as <code>, built of nodes, never of markup.
 * @param {string} text
 * @returns {Node[]}
 */
export function prose(text) {
  return text.split(FLAG).map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part);
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}
