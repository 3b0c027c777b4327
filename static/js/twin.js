// @ts-check
// Table twins: the numbers of a picture as rows, rebuilt only while someone has them open.

/**
 * @param {HTMLElement} el replaced by the table
 * @param {string[]} heads a head that begins with ">" is set to the right, as its cells are
 * @param {(string | number | Node)[][]} rows
 * @param {string} caption
 */
export function table(el, heads, rows, caption) {
  const made = document.createElement("table");
  made.createCaption().className = "sr-only";
  /** @type {HTMLTableCaptionElement} */ (made.caption).textContent = caption;
  const head = made.createTHead().insertRow();
  const right = heads.map((text) => text.startsWith(">"));
  heads.forEach((text, at) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = right[at] ? text.slice(1) : text;
    if (right[at]) cell.className = "r";
    head.append(cell);
  });
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((value, at) => {
      const cell = at === 0 ? document.createElement("th") : document.createElement("td");
      if (cell.tagName === "TH") cell.setAttribute("scope", "row");
      if (right[at]) cell.className = "r";
      cell.append(value instanceof Node ? value : String(value));
      line.append(cell);
    });
  }
  el.replaceChildren(made);
}

/** Whether a twin inside `el` is open and so worth its rows. @param {HTMLElement} el */
export function is_open(el) {
  const details = el.closest("details");
  return !details || details.open;
}
