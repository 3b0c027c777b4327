// @ts-check
// Copy buttons of the catalog's pages. The pages are complete without them.

const SHOWN_MS = 1500;

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const words = button.textContent ?? "copy";
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
    button.textContent = "copied";
  } catch {
    // no permission, or not a secure context: select what can be copied by hand
    select(button);
    button.textContent = "press Ctrl+C";
  }
  announce(button.textContent);
  setTimeout(() => {
    button.textContent = words;
  }, SHOWN_MS);
}

/** @param {HTMLButtonElement} button */
function select(button) {
  const text = button.previousElementSibling;
  if (text) getSelection()?.selectAllChildren(text);
}

/** @param {string} words */
function announce(words) {
  const place = document.querySelector("[data-announce]");
  if (place) place.textContent = words;
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("button[data-copy]");
  if (button instanceof HTMLButtonElement && button.textContent === "copy") void copy(button);
});
