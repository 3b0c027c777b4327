// @ts-check
// Colours from the style sheet's custom properties, as canvas strings and as packed pixels.

import { CODES } from "./status.js";

const NAMES = /** @type {const} */ ([
  "bg",
  "panel",
  "raise",
  "line",
  "edge",
  "ink",
  "dim",
  "faint",
  "link",
  "held",
  "protected",
  "evictable",
  "available",
  "leaked",
  "ring",
  "retired",
  "good",
  "warn",
  "bad",
  "series",
  "series-2",
]);

/** Sequential ramp for age and generation: dark blue to pale yellow, luminance rising evenly. */
const RAMP = ["#16306b", "#1f5aa0", "#2b88a8", "#4bb08f", "#9ccb6b", "#f6e27a"];
const RAMP_STEPS = 64;

/** "#rrggbb" as a little-endian RGBA word. @param {string} hex */
export function pack(hex) {
  const value = parseInt(hex.slice(1), 16);
  return (0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export class Palette {
  constructor() {
    /** @type {Record<string, string>} */
    this.css = {};
    /** Packed pixel of each state code. */
    this.states = new Uint32Array(256);
    /** Packed pixels of the ramp, low to high. */
    this.ramp = new Uint32Array(RAMP_STEPS);
    this.version = 0;
    this.mono = "monospace";
    this.read();
  }

  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of NAMES) this.css[name] = style.getPropertyValue(`--${name}`).trim();
    this.mono = style.getPropertyValue("--mono").trim() || "monospace";
    CODES.forEach((state, code) => {
      this.states[code] = pack(this.css[state]);
    });
    for (let step = 0; step < RAMP_STEPS; step += 1)
      this.ramp[step] = pack(blend(step / (RAMP_STEPS - 1)));
    this.version += 1;
  }

  /** A steady colour for an owner: hues a golden angle apart. @param {number} owner */
  owner(owner) {
    const hue = (owner * 137.508) % 360;
    const light = 0.45 + 0.2 * ((owner * 0.381966) % 1);
    return pack(hsl(hue, 0.6, light));
  }

  /** The ramp as a CSS gradient, for legends. */
  gradient() {
    return `linear-gradient(90deg, ${RAMP.join(", ")})`;
  }
}

/** @param {number} at in [0, 1] */
function blend(at) {
  const place = at * (RAMP.length - 1);
  const low = Math.min(Math.floor(place), RAMP.length - 2);
  const part = place - low;
  const mix = [1, 3, 5].map((digit) => {
    const from = parseInt(RAMP[low].slice(digit, digit + 2), 16);
    const to = parseInt(RAMP[low + 1].slice(digit, digit + 2), 16);
    return Math.round(from + (to - from) * part)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${mix.join("")}`;
}

/** @param {number} hue degrees @param {number} saturation @param {number} light */
function hsl(hue, saturation, light) {
  const strength = saturation * Math.min(light, 1 - light);
  const channel = (/** @type {number} */ n) => {
    const k = (n + hue / 30) % 12;
    const value = light - strength * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
