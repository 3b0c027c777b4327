// @ts-check
// Loads Plotly once, when the first chart asks, after the page has painted.

const URL_PATH = "/assets/plotly.min.js";
const LOAD_MS = 30_000;

/** @type {Promise<any> | null} */
let loading = null;

/** @returns {Promise<any>} the Plotly object @throws {Error} when it cannot be loaded */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const add = () => {
      const script = document.createElement("script");
      script.src = URL_PATH;
      script.onload = () => resolve(/** @type {any} */ (window).Plotly);
      script.onerror = () => reject(new Error(`${URL_PATH} could not be loaded`));
      document.head.append(script);
      setTimeout(() => reject(new Error(`${URL_PATH} took over ${LOAD_MS / 1000} s`)), LOAD_MS);
    };
    // parsing takes a second of script: numbers and maps come first
    if ("requestIdleCallback" in window) requestIdleCallback(add, { timeout: 2_000 });
    else setTimeout(add, 500);
  });
  return loading;
}

/** What every chart shares. @param {import("./palette.js").Palette} palette */
export function base_layout(palette) {
  const { css, mono } = palette;
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: mono, size: 10.5, color: css.dim },
    showlegend: false,
    hoverlabel: { bgcolor: css.panel, bordercolor: css.edge, font: { color: css.ink } },
    // a live update never resets what someone zoomed
    uirevision: "keep",
  };
}
