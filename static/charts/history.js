// @ts-check
// What each pool had over simulated time: one panel per pool in its own unit, one shared clock.

import { amount, value } from "../js/format.js";
import { base_layout, plotly } from "../js/plotly.js";
import { headline } from "../js/status.js";

/** @typedef {import("../js/store.js").Store} Store */
/** @typedef {import("../js/types.d.ts").PoolSnapshot} PoolSnapshot */
/** @typedef {import("../js/types.d.ts").ChartContext} ChartContext */

const PANEL_GAP = 0.07;
const NARROW_GAP = 0.12;
const MAX_MARKS = 40;
const NARROW_PX = 560;
/** Simulated time 0 on the date axis: Plotly reads small numbers as years. */
const ZERO_MS = Date.UTC(2000, 0, 1);

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "history",
  title: "history",
  kinds: [],
  hz: 1,
  heavy: true,
  async mount(el, ctx) {
    const plot = document.createElement("div");
    plot.className = "plot";
    plot.textContent = "Loading the chart.";
    el.append(plot);
    const Plotly = await plotly();
    plot.textContent = "";
    const only = el.dataset.of;
    /** Instants between which someone zoomed, until a double click. @type {[string, string] | null} */
    let zoomed = null;
    let listening = false;
    return {
      update(store) {
        const shown = Object.values(store.pools).filter((pool) => !only || pool.name === only);
        const names = order(store, shown);
        const { data, layout } = figure(store, names, ctx, plot.clientWidth < NARROW_PX);
        layout.datarevision = store.series.version;
        if (zoomed) layout.xaxis.range = zoomed;
        Plotly.react(plot, data, layout, {
          displayModeBar: false,
          responsive: true,
          doubleClick: false,
        });
        if (!listening) {
          listening = true;
          const drawn = /** @type {any} */ (plot);
          drawn.on("plotly_relayout", (/** @type {any} */ change) => {
            const from = change["xaxis.range[0]"];
            if (from !== undefined) zoomed = [from, change["xaxis.range[1]"]];
          });
          drawn.on("plotly_doubleclick", () => {
            zoomed = null;
            ctx.invalidate();
          });
        }
        describe(el, store, names);
      },
      destroy() {
        Plotly.purge(plot);
      },
    };
  },
};

/** Pools in the page's order. @param {Store} store @param {PoolSnapshot[]} shown */
function order(store, shown) {
  const place = store.page.pools.map((pool) => pool.name);
  return shown.sort((a, b) => place.indexOf(a.name) - place.indexOf(b.name));
}

/** @param {Store} store @param {PoolSnapshot[]} pools @param {ChartContext} ctx @param {boolean} narrow */
function figure(store, pools, ctx, narrow) {
  const { css } = ctx.palette;
  /** @type {any[]} */
  const data = [];
  /** @type {any} */
  const layout = {
    ...base_layout(ctx.palette),
    margin: { l: narrow ? 62 : 190, r: 12, t: narrow ? 18 : 6, b: 22, autoexpand: false },
    hovermode: ctx.still() ? "x" : false,
    dragmode: "zoom",
    xaxis: {
      type: "date",
      tickformat: "%H:%M:%S",
      hoverformat: "%H:%M:%S",
      gridcolor: css.line,
      zeroline: false,
      anchor: `y${pools.length > 1 ? pools.length : ""}`,
      nticks: narrow ? 4 : 8,
      range: span(store, pools),
    },
    annotations: [],
    shapes: store.recorded ? [...marks(store, css), cursor(store, css)] : marks(store, css),
  };
  const gap = narrow ? NARROW_GAP : PANEL_GAP;
  const tall = (1 - gap * (pools.length - 1)) / Math.max(pools.length, 1);
  pools.forEach((pool, at) => {
    const top = 1 - at * (tall + gap);
    const suffix = at ? String(at + 1) : "";
    const { word, of } = headline(pool);
    const x = store.series.of(pool.name).sim_t.map(instant);
    const y = store.series.line(pool.name, of);
    const both =
      pool.kind !== "radix" && pool.evictable
        ? store.series.line(pool.name, (one) => one.available + one.evictable)
        : null;
    // The capacity, so that a level reads as a share of it; a tree has none of its own.
    const ceiling = pool.kind === "radix" ? Math.max(1, ...y) : pool.capacity;
    const line = {
      type: "scatter",
      mode: "lines",
      x,
      xaxis: "x",
      yaxis: `y${suffix}`,
      name: pool.name,
    };
    if (both)
      data.push({
        ...line,
        y: both,
        line: { color: css["series-2"], width: 1, dash: "dot" },
        hovertemplate: "%{y:,} with evictable<extra></extra>",
      });
    data.push({
      ...line,
      y,
      line: { color: css.series, width: 1.4 },
      hovertemplate: `%{y:,} ${pool.unit} ${word}<extra>${pool.name}</extra>`,
    });
    layout[`yaxis${suffix}`] = {
      domain: [Math.max(0, top - tall), top],
      range: [0, 1.08 * ceiling],
      fixedrange: true,
      zeroline: false,
      tickvals: [0, ceiling],
      ticktext: ["0", value(ceiling, pool.unit)],
      gridcolor: css.line,
      anchor: "x",
      linecolor: css.line,
      showline: true,
    };
    layout.annotations.push(label(pool, top, narrow, css));
  });
  return { data, layout };
}

/** @param {PoolSnapshot} pool @param {number} top @param {boolean} narrow @param {Record<string, string>} css */
function label(pool, top, narrow, css) {
  const text = narrow ? pool.name : `<b>${pool.name}</b><br>of ${amount(pool.capacity, pool.unit)}`;
  return {
    text,
    xref: "paper",
    yref: "paper",
    x: 0,
    xshift: narrow ? -2 : -188,
    y: top,
    xanchor: "left",
    yanchor: narrow ? "bottom" : "top",
    align: "left",
    showarrow: false,
    font: { color: css.ink, size: 10.5 },
  };
}

/** @param {number} sim_t seconds */
function instant(sim_t) {
  return ZERO_MS + 1000 * sim_t;
}

/** From the first kept instant to the last, in milliseconds. @param {Store} store @param {PoolSnapshot[]} pools */
function span(store, pools) {
  const times = pools.map((pool) => store.series.of(pool.name).sim_t);
  const first = Math.min(...times.map((one) => one[0] ?? store.sim_t));
  const last = Math.max(...times.map((one) => one[one.length - 1] ?? store.sim_t));
  return [instant(first), instant(Math.max(last, first + 1))];
}

/** A line through all panels where something was raised or retracted. @param {Store} store @param {Record<string, string>} css */
function marks(store, css) {
  const first = Math.min(
    ...Object.keys(store.pools).map((name) => store.series.of(name).sim_t[0] ?? Infinity),
  );
  return store.events
    .filter((event) => event.level !== "info")
    .filter((event) => store.recorded || event.event_seq > store.run_event_seq)
    .filter((event) => event.sim_t >= first && event.sim_t <= store.sim_t)
    .slice(-MAX_MARKS)
    .map((event) =>
      upright(event.sim_t, {
        color: event.level === "warning" ? css.warn : css.bad,
        width: 1,
        dash: "dot",
      }),
    );
}

/** The instant of a recording that is shown. @param {Store} store @param {Record<string, string>} css */
function cursor(store, css) {
  return upright(store.sim_t, { color: css.ink, width: 1 });
}

/** @param {number} sim_t @param {Record<string, any>} line */
function upright(sim_t, line) {
  const x = instant(sim_t);
  return { type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line };
}

/** @param {HTMLElement} el @param {Store} store @param {PoolSnapshot[]} pools */
function describe(el, store, pools) {
  const times = pools.length ? store.series.of(pools[0].name).sim_t : [];
  const span = times.length > 1 ? times[times.length - 1] - times[0] : 0;
  const sub = el.querySelector("[data-sub]");
  const long =
    span >= 120
      ? `${Math.round(span / 60)} simulated minutes`
      : `${Math.round(span)} simulated seconds`;
  const text = `available (radix: referenced), last ${long} · dotted: with evictable · upright: errors, alarms · drag to zoom`;
  if (sub && sub.textContent !== text) sub.textContent = text;
}
