// @ts-check
// One pool's headline figure over the kept history: baseline at zero, last value as a dot.

import { board } from "../js/canvas.js";
import { amount } from "../js/format.js";
import { headline } from "../js/status.js";

const RIGHT_PX = 4;

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "sparkline",
  title: "sparkline",
  kinds: [],
  hz: 4,
  mount(el, ctx) {
    const plot = board(el, ctx.invalidate);
    plot.canvas.setAttribute("role", "img");
    return {
      update(store) {
        const pool = store.pools[ctx.pool()];
        if (!pool || !plot.width) return;
        const { word, of } = headline(pool);
        draw(
          plot,
          store.series.of(pool.name).sim_t,
          store.series.line(pool.name, of),
          ctx.palette.css,
        );
        const last = amount(of(pool), pool.unit);
        el.title = `${word} over time; now ${last}, baseline 0`;
        plot.canvas.setAttribute("aria-label", `${pool.name} ${word} over time, now ${last}`);
      },
    };
  },
};

/**
 * @param {import("../js/canvas.js").Board} plot
 * @param {number[]} times @param {number[]} values @param {Record<string, string>} css
 */
function draw(plot, times, values, css) {
  const { context, width, height } = plot;
  plot.clear();
  const floor = height - 2.5;
  context.strokeStyle = css.edge;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(0, floor);
  context.lineTo(width, floor);
  context.stroke();
  context.setLineDash([]);
  if (values.length < 2) return;
  let top = 1;
  for (const value of values) if (value > top) top = value;
  const from = times[0];
  const span = Math.max(times[times.length - 1] - from, 1e-9);
  const x = (/** @type {number} */ at) => ((times[at] - from) / span) * (width - RIGHT_PX);
  const y = (/** @type {number} */ at) => floor - (Math.max(values[at], 0) / top) * (floor - 3);
  context.strokeStyle = css.series;
  context.lineWidth = 1.3;
  context.beginPath();
  context.moveTo(x(0), y(0));
  for (let at = 1; at < values.length; at += 1) context.lineTo(x(at), y(at));
  context.stroke();
  context.fillStyle = css.ink;
  context.beginPath();
  context.arc(x(values.length - 1), y(values.length - 1), 2.2, 0, 2 * Math.PI);
  context.fill();
}
