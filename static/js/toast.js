// @ts-check
// Short messages in a corner; problem documents keep their title and detail.

const STAY_MS = 8_000;
const MOST = 4;

/** @param {"good" | "bad"} level @param {string} title @param {string} [detail] */
export function toast(level, title, detail = "") {
  const box = document.querySelector("[data-toasts]");
  if (!box) return;
  const el = document.createElement("div");
  el.className = "toast";
  el.dataset.level = level;
  const head = document.createElement("b");
  head.textContent = title;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "✕";
  close.setAttribute("aria-label", "Dismiss");
  close.onclick = () => el.remove();
  el.append(head, close);
  if (detail) {
    const text = document.createElement("p");
    text.textContent = detail;
    el.append(text);
  }
  box.append(el);
  while (box.childElementCount > MOST) box.firstElementChild?.remove();
  setTimeout(() => el.remove(), level === "bad" ? 2 * STAY_MS : STAY_MS);
}
