// Classic script in <head>, so the stored theme is set before the first paint.
// @ts-check
(() => {
  const KEY = "poolscope.theme";
  const root = document.documentElement;
  /** @returns {"light" | "dark"} */
  const shown = () => {
    const set = root.dataset.theme;
    if (set === "light" || set === "dark") return set;
    return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  };
  const announce = () => document.dispatchEvent(new CustomEvent("themechange"));
  const toggle = () => {
    const next = shown() === "dark" ? "light" : "dark";
    root.dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // private windows may refuse storage; the choice then lasts for this page
    }
    announce();
  };
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  } catch {
    // as above
  }
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", announce);
  document.addEventListener("themetoggle", toggle);
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-theme-toggle]")) toggle();
  });
})();
