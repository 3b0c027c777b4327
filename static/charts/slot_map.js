// @ts-check
// Every cell of a pool on one canvas: colour by state, age, generation or owner; zoom, pan, read-out.

import { first_id, map_of } from "../js/cell_words.js";
import { count } from "../js/format.js";
import { build } from "../js/map_frame.js";
import { attach } from "../js/map_input.js";
import { View } from "../js/map_layout.js";
import { addresses, Overlay } from "../js/map_overlay.js";
import { Raster } from "../js/map_raster.js";
import { band_table, heading, legend, missing, offers, readout } from "../js/map_words.js";
import { is_open } from "../js/twin.js";
import { recall, remember } from "../js/view_state.js";

/** @typedef {import("../js/types.d.ts").ChartContext} ChartContext */
/** @typedef {import("../js/store.js").Store} Store */
/** @typedef {import("../js/geometry.js").Geometry} Geometry */
/** @typedef {import("../js/map_raster.js").Mode} Mode */

const GUTTER_CSS = 58;
const LEAST_CSS = 120;
const TEXT_MS = 100;
const AGE_MS = 1_000;

class SlotMap {
  /** @param {HTMLElement} el @param {ChartContext} ctx */
  constructor(el, ctx) {
    this.el = el;
    this.ctx = ctx;
    this.parts = build(el);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.parts.canvas.getContext("2d"));
    this.view = new View();
    this.raster = new Raster();
    this.overlay = new Overlay();
    this.mode = /** @type {Mode} */ (recall("color") ?? "state");
    this.hover = -1;
    this.cursor = -1;
    this.pool = "";
    this.drawn = "";
    this.repaint = true;
    this.text_ms = 0;
    this.age_ms = 0;
    this.leak_at = 0;
    this.later = 0;
    this.last_pool = "";
    this.palette_version = -1;
    this.listen();
  }

  listen() {
    const { parts, view, ctx } = this;
    attach(parts.canvas, view, {
      point: (event) => {
        const box = parts.canvas.getBoundingClientRect();
        return [
          (event.clientX - box.left - GUTTER_CSS) * view.dpr,
          (event.clientY - box.top) * view.dpr,
        ];
      },
      hover: (cell) => this.look(cell, this.cursor),
      pick: (cell) => this.look(this.hover, cell === this.cursor ? -1 : cell),
      moved: () => this.moved(),
      cursor: () => this.cursor,
      leaked: () => this.jump(),
    });
    for (const button of parts.modes) {
      button.onclick = () => {
        this.mode = /** @type {Mode} */ (button.dataset.mode);
        remember("color", this.mode === "state" ? null : this.mode);
        this.repaint = true;
        ctx.invalidate();
      };
    }
    for (const button of parts.zooms) {
      button.onclick = () => {
        view.step(/** @type {"in" | "out" | "all"} */ (button.dataset.zoom));
        this.moved();
      };
    }
    parts.leak.onclick = () => this.jump();
    let width = 0;
    new ResizeObserver(() => {
      if (parts.box.clientWidth === width) return;
      width = parts.box.clientWidth;
      this.pool = "";
      ctx.invalidate();
    }).observe(parts.box);
  }

  moved() {
    this.parts.box.toggleAttribute("data-zoomed", this.view.zoom > 1);
    this.drawn = "";
    this.ctx.invalidate();
  }

  /** @param {number} hover @param {number} cursor */
  look(hover, cursor) {
    if (hover === this.hover && cursor === this.cursor) return;
    this.hover = hover;
    this.cursor = cursor;
    this.drawn = "";
    this.text_ms = 0;
    this.ctx.invalidate();
  }

  /** To the next leaked cell, round and round. */
  jump() {
    const leaked = [...(this.geometry?.leaked ?? [])].sort((a, b) => a - b);
    if (!leaked.length) return;
    const cell = leaked[this.leak_at % leaked.length];
    this.leak_at += 1;
    this.view.center(cell, 14);
    this.look(this.hover, cell);
    this.moved();
  }

  get geometry() {
    return this.ctx.store.geometry.get(this.pool);
  }

  /** @param {Store} store */
  update(store) {
    const pool = map_of(store, this.ctx.pool());
    if (pool !== this.pool) this.open(store, pool);
    const geometry = store.geometry.get(pool);
    this.parts.over.textContent = missing(store, pool);
    if (!geometry?.ready) {
      this.context.clearRect(0, 0, this.parts.canvas.width, this.parts.canvas.height);
      this.drawn = "";
      return;
    }
    if (geometry.cells !== this.view.cells) this.open(store, pool);
    if (this.mode !== "state" && !offers(geometry, this.mode)) this.mode = "state";
    this.paint(store, geometry);
    this.write(store, geometry);
  }

  /** A new pool or a new width: lay out again, in a box as tall as the cells need. @param {Store} store @param {string} pool */
  open(store, pool) {
    const { canvas, box } = this.parts;
    const { view } = this;
    const dpr = Math.min(window.devicePixelRatio || 1, 2);
    const most = Number(getComputedStyle(box).getPropertyValue("--most")) || box.clientHeight;
    const width = Math.max(1, Math.floor(box.clientWidth * dpr));
    if (pool !== this.last_pool) {
      view.reset();
      this.hover = this.cursor = -1;
      this.last_pool = pool;
    }
    this.pool = pool;
    const cells = store.geometry.get(pool)?.cells ?? store.shapes[pool]?.cells ?? 0;
    const tall = view.resize(cells, width - GUTTER_CSS * dpr, Math.floor(most * dpr), dpr);
    const height = cells ? Math.max(tall, LEAST_CSS * dpr) : Math.floor(most * dpr);
    box.style.height = `${height / dpr + 2}px`;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    this.raster.resize(view.grid.cols, view.grid.rows);
    this.repaint = true;
    this.text_ms = 0;
  }

  /** @param {Store} store @param {Geometry} geometry */
  paint(store, geometry) {
    const [palette, now] = [this.ctx.palette, performance.now()];
    const changes = geometry.take_changes();
    const fits =
      changes && !this.repaint && this.palette_version === palette.version
        ? this.raster.paint(changes, geometry, this.mode, palette, store.sim_t)
        : false;
    if (!fits) {
      this.raster.paint_all(geometry, this.mode, palette, store.sim_t);
      this.palette_version = palette.version;
      this.repaint = false;
      this.age_ms = now;
      this.drawn = "";
    } else if (this.mode === "age" && (this.raster.swept || now - this.age_ms > AGE_MS)) {
      if (!this.raster.swept) this.age_ms = now;
      if (this.raster.sweep(geometry, this.mode, palette, store.sim_t)) this.ctx.invalidate();
      this.drawn = "";
    }
    const key = `${geometry.version}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.draw(store, geometry);
  }

  /** @param {Store} store @param {Geometry} geometry */
  draw(store, geometry) {
    const { context, view, ctx } = this;
    const dpr = view.dpr;
    const gutter = GUTTER_CSS * dpr;
    const first = first_id(store.shapes[this.pool]);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.parts.canvas.width, this.parts.canvas.height);
    addresses(context, view, ctx.palette, gutter - 6 * dpr, first);
    context.save();
    context.beginPath();
    context.rect(gutter, 0, view.width, view.height);
    context.clip();
    context.translate(gutter, 0);
    this.raster.draw(context, view);
    this.overlay.draw(context, view, geometry, ctx.palette, {
      textures: this.mode === "state",
      first_id: first,
      cursor: this.cursor >= 0 ? this.cursor : this.hover,
    });
    context.restore();
  }

  /** Words around the map, a few times a second, the last ones never lost. @param {Store} store @param {Geometry} geometry */
  write(store, geometry) {
    const wait = TEXT_MS - (performance.now() - this.text_ms);
    if (wait > 0) {
      this.later ||= setTimeout(() => {
        this.later = 0;
        this.ctx.invalidate();
      }, wait);
      return;
    }
    this.text_ms = performance.now();
    const { parts, mode, pool } = this;
    for (const button of parts.modes) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
      button.disabled = !offers(geometry, /** @type {Mode} */ (button.dataset.mode));
    }
    legend(parts.legend, mode, geometry, this.raster.top, this.ctx.palette);
    parts.leak.hidden = geometry.leaked.size === 0;
    parts.leak.textContent = `${count(geometry.leaked.size)} leaked · jump to`;
    heading(this.el, store, this.ctx.pool(), pool);
    readout(
      parts.readout,
      store,
      pool,
      this.hover >= 0 ? this.hover : this.cursor,
      this.view.grid.cols,
    );
    const bands = /** @type {HTMLElement | null} */ (this.el.querySelector("[data-bands]"));
    if (bands && is_open(bands)) band_table(bands, geometry);
  }
}

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "slot_map",
  title: "slot map",
  kinds: [],
  mount: (el, ctx) => new SlotMap(el, ctx),
};
