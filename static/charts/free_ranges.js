// @ts-check
// How the free space is cut: number of free ranges by size, sizes in powers of two.

import { amount, count } from "../js/format.js";
import { base_layout, plotly } from "../js/plotly.js";
import { is_open, table } from "../js/twin.js";

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "free_ranges",
  title: "free ranges",
  kinds: ["mm_feature"],
  hz: 2,
  heavy: true,
  async mount(el, ctx) {
    const plot = document.createElement("div");
    plot.className = "plot small";
    plot.textContent = "Loading the chart.";
    el.querySelector("header")?.after(plot);
    const Plotly = await plotly();
    plot.textContent = "";
    let drawn = "";
    return {
      update(store) {
        const pool = store.pools[ctx.pool()];
        const ranges = pool?.free_ranges;
        if (!pool || !ranges) return;
        const bins = trim(ranges.histogram);
        const labels = bins.map(([exponent]) => amount(2 ** exponent, pool.unit));
        const twin = /** @type {HTMLElement | null} */ (el.querySelector("[data-table]"));
        if (twin && is_open(twin)) {
          table(
            twin,
            ["size from", ">free ranges"],
            bins.map(([, n], at) => [labels[at], count(n)]),
            "Free ranges by size",
          );
        }
        const key = `${ranges.histogram.join()} ${ctx.palette.version}`;
        if (key === drawn) return;
        drawn = key;
        const { css } = ctx.palette;
        const most = Math.max(1, ...bins.map(([, n]) => n));
        const every = Math.ceil(labels.length / 5);
        const layout = {
          ...base_layout(ctx.palette),
          margin: { l: 30, r: 8, t: 6, b: 20, autoexpand: false },
          hovermode: false,
          bargap: 0.18,
          xaxis: {
            tickvals: labels.filter((_, at) => at % every === 0),
            type: "category",
            fixedrange: true,
          },
          yaxis: {
            gridcolor: css.line,
            fixedrange: true,
            range: [0, 1.1 * most],
            dtick: Math.ceil(most / 4),
            tickformat: ",d",
          },
        };
        const bars = {
          type: "bar",
          x: labels,
          y: bins.map(([, n]) => n),
          marker: { color: css.evictable },
        };
        Plotly.react(plot, [bars], layout, {
          displayModeBar: false,
          responsive: true,
          staticPlot: true,
        });
      },
      destroy() {
        Plotly.purge(plot);
      },
    };
  },
};

/** Bins from the first to the last that is not empty. @param {number[]} histogram @returns {[number, number][]} */
function trim(histogram) {
  const some = histogram.flatMap((n, exponent) => (n ? [exponent] : []));
  if (!some.length) return [];
  const low = some[0];
  return histogram.slice(low, some[some.length - 1] + 1).map((n, at) => [low + at, n]);
}
