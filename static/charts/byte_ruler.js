// @ts-check
// The feature pool as one ruler of bytes: leases, holes, and what has not been acknowledged.

import { board } from "../js/canvas.js";
import { bytes, count, counted } from "../js/format.js";
import { is_open, table } from "../js/twin.js";

/** @typedef {import("../js/geometry.js").Geometry} Geometry */

const TRACK_PX = 30;
/** The control words stand in front of address 0, not to scale. */
const CONTROL_PX = 9;
const TICKS = 4;
const NARROW_PX = 360;
const TABLE_ROWS = 12;

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "byte_ruler",
  title: "byte ruler",
  kinds: ["mm_feature"],
  hz: 10,
  mount(el, ctx) {
    const box = document.createElement("div");
    box.className = "ruler";
    const said = document.createElement("p");
    said.className = "readout";
    el.querySelector("header")?.after(box, said);
    const plot = board(box, ctx.invalidate);
    plot.canvas.setAttribute("role", "img");
    plot.canvas.setAttribute(
      "aria-label",
      "Leases and holes by address; the same is in the table below",
    );
    let pointer = -1;
    plot.canvas.onpointermove = (event) => {
      pointer = event.offsetX;
      ctx.invalidate();
    };
    plot.canvas.onpointerleave = () => {
      pointer = -1;
      ctx.invalidate();
    };
    return {
      update(store) {
        const name = ctx.pool();
        const pool = store.pools[name];
        const geometry = store.geometry.get(name);
        if (!pool || !plot.width) return;
        if (!geometry?.ready) {
          said.textContent = `Loading the ranges of ${name}.`;
          return;
        }
        const control_bytes = pool.extra.control_bytes ?? 0;
        const left = control_bytes ? CONTROL_PX : 0;
        draw(plot, geometry, pool.capacity, left, ctx.palette);
        const holes = geometry.free_edges.length / 2;
        const sub = el.querySelector("[data-sub]");
        const text = `byte ruler · ${bytes(pool.capacity)} · ${counted(geometry.leases.length / 5, "leases")} · ${counted(holes, "holes")}`;
        if (sub && sub.textContent !== text) sub.textContent = text;
        const more = (pool.free_ranges?.count ?? holes) - holes;
        if (pointer >= left)
          said.textContent = read(
            ((pointer - left) / (plot.width - left)) * pool.capacity,
            geometry,
          );
        else if (pointer >= 0)
          said.textContent = `control words · ${bytes(control_bytes)} before address 0 (not to scale)`;
        else if (more > 0) said.textContent = `${count(more)} more holes are not drawn.`;
        else said.textContent = "Striped: not acknowledged by all.";
        const twin = /** @type {HTMLElement | null} */ (el.querySelector("[data-table]"));
        if (twin && is_open(twin)) holes_table(twin, geometry);
      },
    };
  },
};

/**
 * @param {import("../js/canvas.js").Board} plot @param {Geometry} geometry
 * @param {number} capacity @param {number} left where address 0 is
 * @param {import("../js/palette.js").Palette} palette
 */
function draw(plot, geometry, capacity, left, palette) {
  const { context, width } = plot;
  const { css } = palette;
  const scale = (width - left) / Math.max(capacity, 1);
  plot.clear();
  if (left) {
    context.fillStyle = css.raise;
    context.fillRect(0, 0, left - 2, TRACK_PX);
    stripes(context, 0, left - 2, css.dim);
  }
  context.fillStyle = css.held;
  context.fillRect(left, 0, width - left, TRACK_PX);
  const { leases, free_edges } = geometry;
  context.fillStyle = css.available;
  for (let at = 0; at < free_edges.length; at += 2) {
    const wide = (free_edges[at + 1] - free_edges[at]) * scale;
    context.fillRect(left + free_edges[at] * scale, 0, Math.max(wide, 0.5), TRACK_PX);
  }
  for (let row = 0; row < leases.length; row += 5) {
    const from = left + leases[row + 1] * scale;
    const wide = (leases[row + 2] - leases[row + 1]) * scale;
    if (leases[row + 4] > 0 && wide > 3) stripes(context, from, wide, css.bg);
    if (wide > 2) {
      context.fillStyle = css.panel;
      context.fillRect(from, 0, 1, TRACK_PX);
    }
  }
  context.strokeStyle = css.edge;
  context.strokeRect(left + 0.5, 0.5, width - left - 1, TRACK_PX - 1);
  axis(plot, capacity, left, palette);
}

/** @param {import("../js/canvas.js").Board} plot @param {number} capacity @param {number} left @param {import("../js/palette.js").Palette} palette */
function axis({ context, width }, capacity, left, palette) {
  context.fillStyle = palette.css.dim;
  context.font = `10px ${palette.mono}`;
  const ticks = width < NARROW_PX ? TICKS / 2 : TICKS;
  for (let tick = 0; tick <= ticks; tick += 1) {
    const x = left + (tick / ticks) * (width - left);
    context.textAlign = tick === 0 ? "left" : tick === ticks ? "right" : "center";
    context.fillRect(Math.min(x, width - 1), TRACK_PX, 1, 4);
    context.fillText(bytes(Math.round((tick / ticks) * capacity)), x, TRACK_PX + 15);
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} from @param {number} wide @param {string} color */
function stripes(context, from, wide, color) {
  context.save();
  context.beginPath();
  context.rect(from, 0, wide, TRACK_PX);
  context.clip();
  context.globalAlpha = 0.35;
  context.strokeStyle = color;
  context.beginPath();
  for (let x = from - TRACK_PX; x < from + wide; x += 6) {
    context.moveTo(x, TRACK_PX);
    context.lineTo(x + TRACK_PX, 0);
  }
  context.stroke();
  context.restore();
}

/** What lies at an address. @param {number} at @param {Geometry} geometry */
function read(at, { leases, free_edges }) {
  for (let row = 0; row < leases.length; row += 5) {
    if (leases[row + 1] <= at && at < leases[row + 2]) {
      const size = bytes(leases[row + 2] - leases[row + 1]);
      return `lease of slot ${leases[row]} · ${size} · generation ${count(leases[row + 3])} · ${leases[row + 4]} acks missing · from ${bytes(leases[row + 1])}`;
    }
  }
  for (let edge = 0; edge < free_edges.length; edge += 2) {
    if (free_edges[edge] <= at && at < free_edges[edge + 1]) {
      return `hole · ${bytes(free_edges[edge + 1] - free_edges[edge])} · from ${bytes(free_edges[edge])}`;
    }
  }
  return "neither lease nor hole: a range that waits to be merged";
}

/** @param {HTMLElement} el @param {Geometry} geometry */
function holes_table(el, { free_edges }) {
  const holes = [];
  for (let at = 0; at < free_edges.length; at += 2)
    holes.push([free_edges[at], free_edges[at + 1]]);
  holes.sort((a, b) => b[1] - b[0] - (a[1] - a[0]));
  const rows = holes
    .slice(0, TABLE_ROWS)
    .map(([from, to]) => [bytes(to - from), count(from), count(to)]);
  table(
    el,
    [
      `hole (largest ${Math.min(TABLE_ROWS, holes.length)} of ${count(holes.length)})`,
      ">from byte",
      ">to byte",
    ],
    rows,
    "Largest holes",
  );
}
