// @ts-check
// How worn the slots are: the most used ones as bars on a log2 axis under the limit, and a date.

import { board } from "../js/canvas.js";
import { count, duration, power } from "../js/format.js";
import { is_open, table } from "../js/twin.js";

/** @typedef {import("../js/types.d.ts").PoolSnapshot} PoolSnapshot */

const BARS = 64;
const LEFT_PX = 30;
const BOTTOM_PX = 4;
const TOP_PX = 8;
const TABLE_ROWS = 10;
const YEAR_S = 365.25 * 86_400;

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "generation_clock",
  title: "generation clock",
  kinds: ["mm_feature", "request_slots"],
  hz: 2,
  mount(el, ctx) {
    const box = document.createElement("div");
    box.className = "clock";
    el.querySelector("header")?.after(box);
    const plot = board(box, ctx.invalidate);
    plot.canvas.setAttribute("role", "img");
    plot.canvas.setAttribute(
      "aria-label",
      "Generations of the most used slots; the same is in the table below",
    );
    return {
      update(store) {
        const pool = store.pools[ctx.pool()];
        const wear = pool?.generations;
        const words = el.querySelector("[data-wear]");
        if (!pool || !wear || !plot.width) return;
        const generation = store.geometry.get(pool.name)?.generation;
        const top = generation ? hottest(generation) : [];
        draw(plot, top, wear.limit, ctx.palette);
        if (words) sentence(/** @type {HTMLElement} */ (words), wear, store.source);
        const sub = el.querySelector("[data-sub]");
        const bars = top.length ? `${top.length} most used slots` : "no slot used yet";
        const text = `${pool.name} · limit ${limit_word(wear.limit)} · ${bars}`;
        if (sub && sub.textContent !== text) sub.textContent = text;
        const twin = /** @type {HTMLElement | null} */ (el.querySelector("[data-table]"));
        if (twin && is_open(twin)) {
          const rows = top
            .slice(0, TABLE_ROWS)
            .map(([slot, n]) => [slot, count(n), `${((100 * n) / wear.limit).toPrecision(2)} %`]);
          table(twin, ["slot", ">generation", ">of limit"], rows, "Most used slots");
        }
      },
    };
  },
};

/** Slot and generation of the most used slots, hottest first. @param {Uint32Array} generation @returns {[number, number][]} */
function hottest(generation) {
  /** @type {[number, number][]} */
  const top = [];
  let least = 0;
  for (let slot = 0; slot < generation.length; slot += 1) {
    const n = generation[slot];
    if (n <= least) continue;
    top.push([slot, n]);
    if (top.length >= 4 * BARS) {
      top.sort((a, b) => b[1] - a[1]);
      top.length = BARS;
      least = top[BARS - 1][1];
    }
  }
  return top.sort((a, b) => b[1] - a[1]).slice(0, BARS);
}

/** "2³¹−1" where that is what it is. @param {number} limit */
function limit_word(limit) {
  const exponent = Math.round(Math.log2(limit + 1));
  return 2 ** exponent === limit + 1 ? `${power(exponent)}−1` : count(limit);
}

/** @param {import("../js/canvas.js").Board} plot @param {[number, number][]} top @param {number} limit @param {import("../js/palette.js").Palette} palette */
function draw(plot, top, limit, palette) {
  const { context, width, height } = plot;
  const { css } = palette;
  plot.clear();
  const decades = Math.log2(limit + 1);
  const floor = height - BOTTOM_PX;
  const y = (/** @type {number} */ exponent) => floor - (exponent / decades) * (floor - TOP_PX);
  context.font = `10px ${palette.mono}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  for (const exponent of [0, 8, 16, 24].filter((n) => n < decades - 2)) {
    context.strokeStyle = css.line;
    line(context, y(exponent), width);
    context.fillStyle = css.dim;
    context.fillText(
      exponent ? power(exponent) : "1",
      LEFT_PX - 6,
      Math.min(y(exponent), height - 6),
    );
  }
  context.strokeStyle = css.ring;
  context.setLineDash([4, 3]);
  line(context, y(decades), width);
  context.setLineDash([]);
  context.fillStyle = css.bad;
  context.fillText(power(Math.round(decades)), LEFT_PX - 6, y(decades));
  const wide = Math.min((width - LEFT_PX) / Math.max(top.length, 16), 14);
  top.forEach(([, n], at) => {
    const tall = Math.max(floor - y(Math.log2(Math.max(n, 1))), 1);
    context.fillStyle = at === 0 ? css.evictable : css.held;
    context.fillRect(LEFT_PX + at * wide, floor - tall, Math.max(wide - 1, 1), tall);
  });
}

/** @param {CanvasRenderingContext2D} context @param {number} y @param {number} width */
function line(context, y, width) {
  context.beginPath();
  context.moveTo(LEFT_PX, Math.round(y) + 0.5);
  context.lineTo(width, Math.round(y) + 0.5);
  context.stroke();
}

/** @param {HTMLElement} el @param {NonNullable<PoolSnapshot["generations"]>} wear @param {string} source */
function sentence(el, wear, source) {
  if (wear.max === 0) {
    el.textContent = "No slot has been leased yet.";
    return;
  }
  const strong = (/** @type {string} */ text) => {
    const b = document.createElement("b");
    b.textContent = text;
    return b;
  };
  const left_s = wear.seconds_until_limit;
  const parts = [
    "Hottest slot ",
    strong(String(wear.hottest_slot)),
    " at generation ",
    strong(count(wear.max)),
    `; all slots together gain ${count(wear.bumps_per_s)} per second`,
  ];
  if (wear.max >= wear.limit) parts.push(". It is worn: the limit is reached.");
  else if (left_s === null) parts.push(". The hottest does not wear now, so there is no date.");
  else {
    parts.push(". At the pace of the hottest the limit is reached in ", strong(duration(left_s)));
    if (left_s < 1000 * YEAR_S) parts.push(`, on ${date(left_s)}`);
    parts.push(source === "attached" ? "." : " of simulated time.");
  }
  el.replaceChildren(...parts);
}

/** @param {number} left_s */
function date(left_s) {
  return new Date(Date.now() + 1000 * left_s)
    .toISOString()
    .slice(0, left_s < 86_400 ? 16 : 10)
    .replace("T", " ");
}
