// @ts-check
// Cells as pixels: an offscreen canvas at one cell per pixel, repainted where cells changed.

import { pack } from "./palette.js";
import { LEAKED } from "./status.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./map_layout.js").View} View */
/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {"state" | "age" | "generation" | "owner"} Mode */

/** Ages from here on look the same, in simulated seconds. */
export const OLDEST_S = 600;
const LOG_OLDEST = Math.log1p(OLDEST_S);
/** Cells repainted per screen frame while ages move on: about a millisecond of work. */
const SWEEP_CELLS = 65_536;

export class Raster {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.context = /** @type {CanvasRenderingContext2D} */ (
      this.canvas.getContext("2d", { willReadFrequently: true })
    );
    /** @type {ImageData | null} */
    this.image = null;
    this.pixels = new Uint32Array(0);
    this.cols = 0;
    /** Generations up to this power of two share the ramp. */
    this.top = 1;
    /** Where the running sweep goes on; 0: none is running. */
    this.swept = 0;
    /** @type {Map<number, number>} */
    this.owners = new Map();
  }

  /** @param {number} cols @param {number} rows */
  resize(cols, rows) {
    if (this.cols === cols && this.canvas.height === rows) return false;
    this.canvas.width = cols;
    this.canvas.height = rows;
    this.cols = cols;
    this.image = this.context.createImageData(cols, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
    return true;
  }

  /** The cells in view, onto a map's canvas. @param {CanvasRenderingContext2D} context @param {View} view */
  draw(context, view) {
    const { col0, col1, row0, row1 } = view.span();
    // averaging below one pixel per cell; crisp squares above
    context.imageSmoothingEnabled = view.cell_w < 1;
    context.imageSmoothingQuality = "medium";
    const [cols, rows] = [col1 - col0, row1 - row0];
    const [x, y] = [view.x + col0 * view.cell_w, view.y + row0 * view.cell_h];
    const [width, height] = [cols * view.cell_w, rows * view.cell_h];
    context.drawImage(this.canvas, col0, row0, cols, rows, x, y, width, height);
  }

  /**
   * @param {Geometry} geometry @param {Mode} mode @param {Palette} palette @param {number} sim_t
   */
  paint_all(geometry, mode, palette, sim_t) {
    if (!this.image) return;
    if (mode === "generation" && geometry.generation) this.top = power_above(geometry.generation);
    if (mode === "owner") this.owners.clear();
    this.swept = 0;
    const color = this.colors(geometry, mode, palette, sim_t);
    for (let cell = 0; cell < geometry.cells; cell += 1) this.pixels[cell] = color(cell);
    this.pixels.fill(0, geometry.cells);
    this.context.putImageData(this.image, 0, 0);
  }

  /**
   * Repaints the rows that hold changed cells. False: the ramp no longer fits, paint all.
   * @param {Uint32Array[]} changes
   * @param {Geometry} geometry @param {Mode} mode @param {Palette} palette @param {number} sim_t
   */
  paint(changes, geometry, mode, palette, sim_t) {
    if (!this.image) return true;
    const color = this.colors(geometry, mode, palette, sim_t);
    const { generation } = geometry;
    let low = Infinity;
    let high = -1;
    for (const slots of changes) {
      for (let k = 0; k < slots.length; k += 1) {
        const cell = slots[k];
        if (mode === "generation" && generation && generation[cell] > this.top) return false;
        this.pixels[cell] = color(cell);
        if (cell < low) low = cell;
        if (cell > high) high = cell;
      }
    }
    if (high < 0) return true;
    const first = Math.floor(low / this.cols);
    const rows = Math.floor(high / this.cols) - first + 1;
    this.context.putImageData(this.image, 0, 0, 0, first, this.cols, rows);
    return true;
  }

  /**
   * Repaints one band of rows, so that growing ages never cost a whole map in one frame.
   * @param {Geometry} geometry @param {Mode} mode @param {Palette} palette @param {number} sim_t
   * @returns {boolean} whether bands are left
   */
  sweep(geometry, mode, palette, sim_t) {
    if (!this.image) return false;
    const color = this.colors(geometry, mode, palette, sim_t);
    const first = Math.floor(this.swept / this.cols);
    const rows = Math.ceil(SWEEP_CELLS / this.cols);
    const stop = Math.min((first + rows) * this.cols, geometry.cells);
    for (let cell = this.swept; cell < stop; cell += 1) this.pixels[cell] = color(cell);
    this.context.putImageData(this.image, 0, 0, 0, first, this.cols, rows);
    this.swept = stop < geometry.cells ? stop : 0;
    return this.swept > 0;
  }

  /**
   * @param {Geometry} geometry @param {Mode} mode @param {Palette} palette @param {number} sim_t
   * @returns {(cell: number) => number}
   */
  colors(geometry, mode, palette, sim_t) {
    const { state, generation, owner, changed_at } = geometry;
    const { states, ramp } = palette;
    const last = ramp.length - 1;
    if (mode === "generation" && generation) {
      const scale = last / Math.max(Math.log2(this.top), 1);
      return (cell) => {
        if (state[cell] === LEAKED) return states[LEAKED];
        const n = generation[cell];
        return n === 0 ? states[0] : ramp[Math.round(Math.min(Math.log2(n) * scale, last))];
      };
    }
    if (mode === "age") {
      return (cell) => {
        const code = state[cell];
        if (code === 0 || code === LEAKED) return states[code];
        const age = sim_t - changed_at[cell];
        if (Number.isNaN(age)) return ramp[0];
        const part = 1 - Math.min(Math.log1p(Math.max(age, 0)) / LOG_OLDEST, 1);
        return ramp[Math.round(part * last)];
      };
    }
    if (mode === "owner" && owner) {
      const nobody = pack(palette.css.edge);
      return (cell) => {
        const code = state[cell];
        if (code === 0 || code === LEAKED) return states[code];
        return owner[cell] < 0 ? nobody : this.owner(owner[cell], palette);
      };
    }
    return (cell) => states[state[cell]];
  }

  /** @param {number} owner @param {Palette} palette */
  owner(owner, palette) {
    let pixel = this.owners.get(owner);
    if (pixel === undefined) {
      pixel = palette.owner(owner);
      if (this.owners.size > 20_000) this.owners.clear();
      this.owners.set(owner, pixel);
    }
    return pixel;
  }
}

/** @param {Uint32Array} values */
function power_above(values) {
  let most = 2;
  for (let at = 0; at < values.length; at += 1) if (values[at] > most) most = values[at];
  return 2 ** Math.ceil(Math.log2(most));
}
