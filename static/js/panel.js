// @ts-check
// Mounts one chart per [data-chart] element and draws what is in sight, at most once per screen
// frame. A chart that throws says so in its own panel and stops; the others go on.

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./types.d.ts").Chart} Chart */
/** @typedef {import("./types.d.ts").ChartInstance} ChartInstance */
/** @typedef {{el: HTMLElement, chart: Chart | null, instance: ChartInstance | null, dirty: boolean, visible: boolean, drawn_ms: number}} Panel */

/** Heavy charts wait until the pointer has rested this long. */
const REST_MS = 400;

export class Panels {
  /**
   * @param {Store} store
   * @param {import("./palette.js").Palette} palette
   * @param {{still: () => boolean, before: () => void}} how `before` runs ahead of each draw
   */
  constructor(store, palette, how) {
    this.store = store;
    this.palette = palette;
    this.how = how;
    /** @type {Panel[]} */
    this.panels = [];
    this.requested = false;
    this.timer = 0;
    this.moved_ms = -REST_MS;
    this.seen = new IntersectionObserver((entries) => this.on_seen(entries), {
      rootMargin: "80px",
    });
    const moved = () => {
      this.moved_ms = performance.now();
    };
    addEventListener("wheel", moved, { passive: true });
    addEventListener("pointermove", (event) => event.buttons && moved(), { passive: true });
    document.addEventListener("visibilitychange", () => this.invalidate_all());
  }

  /** @param {ParentNode} root */
  mount(root) {
    for (const el of /** @type {NodeListOf<HTMLElement>} */ (
      root.querySelectorAll("[data-chart]")
    )) {
      /** @type {Panel} */
      const panel = {
        el,
        chart: null,
        instance: null,
        dirty: true,
        visible: true,
        drawn_ms: -Infinity,
      };
      this.panels.push(panel);
      this.seen.observe(el);
      this.start(panel).catch((error) => this.broken(panel, error));
    }
  }

  /** @param {Panel} panel */
  async start(panel) {
    const { el } = panel;
    const loaded = await import(new URL(`../charts/${el.dataset.chart}.js`, import.meta.url).href);
    const chart = /** @type {Chart} */ (loaded.chart);
    panel.chart = chart;
    panel.instance = await chart.mount(el, {
      store: this.store,
      palette: this.palette,
      pool: () => (el.dataset.of === "@selected" ? this.store.selected : (el.dataset.of ?? "")),
      invalidate: () => this.invalidate(panel),
      still: this.how.still,
    });
    this.invalidate(panel);
  }

  /** @param {Panel} panel @param {unknown} error */
  broken(panel, error) {
    console.error(`poolscope: chart ${panel.el.dataset.chart} stopped`, error);
    panel.instance = null;
    const said = document.createElement("p");
    said.className = "words broken";
    said.textContent = `This chart stopped: ${error instanceof Error ? error.message : error}. The numbers beside it go on.`;
    panel.el.append(said);
  }

  /** @param {Panel} panel */
  invalidate(panel) {
    panel.dirty = true;
    this.request();
  }

  invalidate_all() {
    for (const panel of this.panels) panel.dirty = true;
    this.request();
  }

  request() {
    if (this.requested || document.hidden) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.draw(performance.now());
    });
  }

  /** @param {number} now */
  draw(now) {
    if (document.hidden) return;
    this.guard(() => this.how.before());
    let wait = Infinity;
    for (const panel of this.panels) {
      const { chart, instance } = panel;
      if (!panel.dirty || !panel.visible || !instance || !chart) continue;
      let due = chart.hz ? panel.drawn_ms + 1000 / chart.hz : 0;
      if (chart.heavy) due = Math.max(due, this.moved_ms + REST_MS);
      if (now < due) {
        wait = Math.min(wait, due - now);
        continue;
      }
      panel.dirty = false;
      panel.drawn_ms = now;
      try {
        instance.update(this.store);
      } catch (error) {
        this.broken(panel, error);
      }
    }
    clearTimeout(this.timer);
    // what was held back is drawn later even if no frame comes
    if (wait < Infinity) this.timer = setTimeout(() => this.request(), wait + 1);
  }

  /** @param {() => void} work */
  guard(work) {
    try {
      work();
    } catch (error) {
      console.error("poolscope: numbers could not be updated", error);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  on_seen(entries) {
    for (const entry of entries) {
      const panel = this.panels.find((one) => one.el === entry.target);
      if (panel) panel.visible = entry.isIntersecting;
    }
    this.request();
  }
}
