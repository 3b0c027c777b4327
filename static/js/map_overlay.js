// @ts-check
// What lies over the pixels of a slot map: textures, rings, row addresses, the cell in hand.

import { count } from "./format.js";
import { CODES } from "./status.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./map_layout.js").View} View */
/** @typedef {import("./palette.js").Palette} Palette */

const TEXTURE_CSS = 4;
const GAP_CSS = 8;
const LABEL_CSS = 34;
const MAX_RINGS = 2_000;
const ROW_LABEL_CSS = 22;

/** @type {Record<string, (context: CanvasRenderingContext2D, size: number) => void>} */
const MARKS = {
  protected: (context, size) => {
    context.moveTo(-1, size + 1);
    context.lineTo(size + 1, -1);
  },
  evictable: (context, size) => context.rect(size / 2 - 0.5, size / 2 - 0.5, 1, 1),
  retired: (context, size) => {
    context.moveTo(-1, -1);
    context.lineTo(size + 1, size + 1);
    context.moveTo(-1, size + 1);
    context.lineTo(size + 1, -1);
  },
};

export class Overlay {
  constructor() {
    /** @type {Map<number, CanvasPattern | null>} */
    this.patterns = new Map();
    this.patterns_dpr = 0;
  }

  /**
   * @param {CanvasRenderingContext2D} context drawn in map coordinates (origin at its corner)
   * @param {View} view @param {Geometry} geometry @param {Palette} palette
   * @param {{textures: boolean, first_id: number, cursor: number}} how
   */
  draw(context, view, geometry, palette, how) {
    const cell_css = Math.min(view.cell_w, view.cell_h) / view.dpr;
    if (cell_css >= TEXTURE_CSS && how.textures) this.textures(context, view, geometry);
    if (cell_css >= GAP_CSS) gaps(context, view, palette);
    if (view.cell_w / view.dpr >= LABEL_CSS && cell_css >= 14)
      ids(context, view, palette, how.first_id, geometry);
    rings(context, view, geometry, palette);
    if (how.cursor >= 0) outline(context, view, how.cursor, palette.css.ink, 2 * view.dpr);
  }

  /** Runs of equal cells in a row are one rectangle. @param {CanvasRenderingContext2D} context @param {View} view @param {Geometry} geometry */
  textures(context, view, geometry) {
    this.prepare(context, view.dpr);
    const { col0, col1, row0, row1 } = view.span();
    const { cols } = view.grid;
    for (const [code, pattern] of this.patterns) {
      if (!pattern || !geometry.counts[code]) continue;
      context.beginPath();
      for (let row = row0; row < row1; row += 1) {
        const base = row * cols;
        const end = Math.min(col1, geometry.cells - base);
        for (let col = col0; col < end; col += 1) {
          if (geometry.state[base + col] !== code) continue;
          const from = col;
          while (col + 1 < end && geometry.state[base + col + 1] === code) col += 1;
          context.rect(
            view.x + from * view.cell_w,
            view.y + row * view.cell_h,
            (col - from + 1) * view.cell_w,
            view.cell_h,
          );
        }
      }
      context.fillStyle = pattern;
      context.fill();
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {number} dpr */
  prepare(context, dpr) {
    if (this.patterns_dpr === dpr) return;
    this.patterns_dpr = dpr;
    CODES.forEach((state, code) => {
      const mark = MARKS[state];
      if (!mark) return;
      const size = Math.round(4 * dpr);
      const tile = document.createElement("canvas");
      tile.width = size;
      tile.height = size;
      const pen = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
      pen.strokeStyle = "rgba(0, 0, 0, 0.38)";
      pen.lineWidth = dpr;
      pen.beginPath();
      mark(pen, size);
      pen.stroke();
      this.patterns.set(code, context.createPattern(tile, "repeat"));
    });
  }
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Palette} palette */
function gaps(context, view, palette) {
  const { col0, col1, row0, row1 } = view.span();
  const left = view.x + col0 * view.cell_w;
  const top = view.y + row0 * view.cell_h;
  const line = view.dpr;
  context.fillStyle = palette.css.bg;
  for (let col = col0; col <= col1; col += 1) {
    context.fillRect(view.x + col * view.cell_w - line, top, line, (row1 - row0) * view.cell_h);
  }
  for (let row = row0; row <= row1; row += 1) {
    context.fillRect(left, view.y + row * view.cell_h - line, (col1 - col0) * view.cell_w, line);
  }
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Palette} palette @param {number} first_id @param {Geometry} geometry */
function ids(context, view, palette, first_id, geometry) {
  const { col0, col1, row0, row1 } = view.span();
  const dark_ink = [CODES.indexOf("evictable"), CODES.indexOf("protected")];
  const leaked = CODES.indexOf("leaked");
  context.font = `${10 * view.dpr}px ${palette.mono}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = row0; row < row1; row += 1) {
    for (let col = col0; col < col1; col += 1) {
      const cell = row * view.grid.cols + col;
      if (cell >= geometry.cells) return;
      const state = geometry.state[cell];
      context.fillStyle =
        state === 0
          ? palette.css.ink
          : state === leaked
            ? palette.css.ring
            : dark_ink.includes(state)
              ? "#101010"
              : "#ffffff";
      context.fillText(
        String(cell + first_id),
        view.x + (col + 0.5) * view.cell_w,
        view.y + (row + 0.5) * view.cell_h,
      );
    }
  }
}

/** A leaked cell stands out at any zoom. @param {CanvasRenderingContext2D} context @param {View} view @param {Geometry} geometry @param {Palette} palette */
function rings(context, view, geometry, palette) {
  let left = MAX_RINGS;
  for (const cell of geometry.leaked) {
    if ((left -= 1) < 0) return;
    const [x, y] = view.corner(cell);
    if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) continue;
    outline(context, view, cell, palette.css.ring, 2 * view.dpr, 7 * view.dpr);
  }
}

/**
 * @param {CanvasRenderingContext2D} context @param {View} view @param {number} cell
 * @param {string} color @param {number} line @param {number} [least] smallest side
 */
function outline(context, view, cell, color, line, least = 5 * view.dpr) {
  const [x, y] = view.corner(cell);
  const wide = Math.max(view.cell_w, least);
  const tall = Math.max(view.cell_h, least);
  context.strokeStyle = color;
  context.lineWidth = line;
  context.strokeRect(x + (view.cell_w - wide) / 2, y + (view.cell_h - tall) / 2, wide, tall);
}

/**
 * Row addresses beside the map: the id of the first cell of every n-th row.
 * @param {CanvasRenderingContext2D} context @param {View} view @param {Palette} palette
 * @param {number} right edge of the column of addresses
 * @param {number} first_id
 */
export function addresses(context, view, palette, right, first_id) {
  const { row0, row1 } = view.span();
  const apart = (ROW_LABEL_CSS * view.dpr) / view.cell_h;
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((n) => n >= apart) ?? 2000;
  context.font = `${10 * view.dpr}px ${palette.mono}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = palette.css.dim;
  for (let row = Math.ceil(row0 / step) * step; row < row1; row += step) {
    const y = view.y + (row + 0.5) * view.cell_h;
    const inside = Math.min(Math.max(y, 6 * view.dpr), view.height - 6 * view.dpr);
    if (Math.abs(inside - y) > 8 * view.dpr) continue;
    context.fillText(count(row * view.grid.cols + first_id), right, inside);
  }
}
