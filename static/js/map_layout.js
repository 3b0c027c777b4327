// @ts-check
// Where a cell lies: how many cells a row has, and the view (zoom and pan) on them.
// All lengths are device pixels. Pure arithmetic, so hovering needs no hit test.

/** @typedef {{cols: number, rows: number, cell_w: number, cell_h: number}} Grid */

/** A cell grows to this many CSS pixels at most. */
const MAX_CELL_CSS = 56;
const FIRST_MAX_CSS = 40;

/** Round row lengths make round addresses. @param {number} cols */
function round_cols(cols) {
  const step = cols >= 1000 ? 100 : cols >= 400 ? 50 : cols >= 40 ? 10 : 1;
  return Math.max(1, cols - (cols % step));
}

/**
 * Whole-pixel cells, as large as fit; below one pixel a power of two of cells per pixel.
 * @param {number} cells @param {number} width @param {number} height @param {number} dpr
 * @returns {Grid}
 */
export function fit(cells, width, height, dpr) {
  /** @type {Grid | null} */
  let best = null;
  let best_area = 0;
  const tallest = Math.min(FIRST_MAX_CSS * dpr, height);
  for (let cell_h = 1; cell_h <= tallest; cell_h += 1) {
    for (let cell_w = cell_h; cell_w <= 3 * cell_h; cell_w += 1) {
      const cols = round_cols(Math.floor(width / cell_w));
      const rows = Math.ceil(cells / cols);
      const fits = cols * cell_w <= width && rows * cell_h <= height;
      const used = cell_w * cell_h - Math.abs(cell_w / cell_h - 1.5) / 100;
      if (fits && used > best_area) {
        best_area = used;
        best = { cols, rows, cell_w, cell_h };
      }
    }
  }
  if (best) return best;
  for (let k = 2; ; k *= 2) {
    const cols = round_cols(Math.floor(width * k));
    const rows = Math.ceil(cells / cols);
    if (rows / k <= height || k >= 64) return { cols, rows, cell_w: 1 / k, cell_h: 1 / k };
  }
}

/** How much a zoom button zooms. */
const STEP = 1.6;

export class View {
  constructor() {
    /** @type {Grid} */
    this.grid = { cols: 1, rows: 1, cell_w: 1, cell_h: 1 };
    this.cells = 0;
    this.width = 0;
    this.height = 0;
    this.dpr = 1;
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
  }

  /**
   * @param {number} cells @param {number} width @param {number} most tallest the map may be
   * @param {number} dpr
   * @returns {number} height that it takes
   */
  resize(cells, width, most, dpr) {
    this.cells = cells;
    this.width = width;
    this.dpr = dpr;
    this.grid = fit(Math.max(cells, 1), width, most, dpr);
    this.height = Math.ceil(this.grid.rows * this.grid.cell_h);
    this.zoom = Math.min(this.zoom, this.max_zoom);
    this.clamp();
    return this.height;
  }

  get cell_w() {
    return this.grid.cell_w * this.zoom;
  }

  get cell_h() {
    return this.grid.cell_h * this.zoom;
  }

  get max_zoom() {
    return Math.max(1, (MAX_CELL_CSS * this.dpr) / this.grid.cell_w);
  }

  /** What the buttons do. @param {"in" | "out" | "all"} to */
  step(to) {
    if (to === "all") this.reset();
    else this.zoom_by(to === "in" ? STEP : 1 / STEP, this.width / 2, this.height / 2);
  }

  /** Zoom about a point of the canvas. @param {number} factor @param {number} px @param {number} py */
  zoom_by(factor, px, py) {
    const before = this.zoom;
    let next = Math.min(Math.max(before * factor, 1), this.max_zoom);
    const wide = this.grid.cell_w * next;
    // whole pixels keep cells equally wide
    if (wide >= 2 && next > 1) next = Math.max(1, Math.round(wide) / this.grid.cell_w);
    if (next === before && factor !== 1) next = step_if_stuck(before, factor, this);
    this.x = px - ((px - this.x) * next) / before;
    this.y = py - ((py - this.y) * next) / before;
    this.zoom = next;
    this.clamp();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.clamp();
  }

  reset() {
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
  }

  clamp() {
    const wide = this.grid.cols * this.cell_w;
    const tall = this.grid.rows * this.cell_h;
    this.x = Math.min(0, Math.max(this.x, Math.min(0, this.width - wide)));
    this.y = Math.min(0, Math.max(this.y, Math.min(0, this.height - tall)));
  }

  /** Cell under a point, or -1. @param {number} px @param {number} py */
  cell_at(px, py) {
    const col = Math.floor((px - this.x) / this.cell_w);
    const row = Math.floor((py - this.y) / this.cell_h);
    if (col < 0 || col >= this.grid.cols || row < 0) return -1;
    const cell = row * this.grid.cols + col;
    return cell < this.cells ? cell : -1;
  }

  /** Top left corner of a cell. @param {number} cell @returns {[number, number]} */
  corner(cell) {
    const row = Math.floor(cell / this.grid.cols);
    const col = cell - row * this.grid.cols;
    return [this.x + col * this.cell_w, this.y + row * this.cell_h];
  }

  /** Columns and rows in sight, ends excluded. */
  span() {
    const { grid } = this;
    return {
      col0: Math.max(0, Math.floor(-this.x / this.cell_w)),
      col1: Math.min(grid.cols, Math.ceil((this.width - this.x) / this.cell_w)),
      row0: Math.max(0, Math.floor(-this.y / this.cell_h)),
      row1: Math.min(grid.rows, Math.ceil((this.height - this.y) / this.cell_h)),
    };
  }

  /** Moves so that a cell is in the middle. @param {number} cell @param {number} [min_css] */
  center(cell, min_css = 0) {
    if (this.cell_w < min_css * this.dpr) this.zoom_by((min_css * this.dpr) / this.cell_w, 0, 0);
    const [x, y] = this.corner(cell);
    this.pan(this.width / 2 - x, this.height / 2 - y);
  }

  /** Moves no further than needed to have a cell in sight. @param {number} cell */
  reveal(cell) {
    const [x, y] = this.corner(cell);
    const dx = Math.max(0, -x) - Math.max(0, x + this.cell_w - this.width);
    const dy = Math.max(0, -y) - Math.max(0, y + this.cell_h - this.height);
    this.pan(dx, dy);
  }
}

/** Rounding to whole pixels must not swallow a step. @param {number} zoom @param {number} factor @param {View} view */
function step_if_stuck(zoom, factor, view) {
  const wide = view.grid.cell_w * zoom;
  if (wide < 2) return zoom;
  const next = (wide + Math.sign(factor - 1)) / view.grid.cell_w;
  return Math.min(Math.max(next, 1), view.max_zoom);
}
