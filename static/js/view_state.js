// @ts-check
// What is looked at, kept in the address after "#", so that a link shows the same.

/** @param {string} name */
export function recall(name) {
  return new URLSearchParams(location.hash.slice(1)).get(name);
}

/** @param {string} name @param {string | null} value */
export function remember(name, value) {
  const kept = new URLSearchParams(location.hash.slice(1));
  if (value === null) kept.delete(name);
  else kept.set(name, value);
  const hash = kept.toString();
  history.replaceState(history.state, "", hash ? `#${hash}` : location.pathname + location.search);
}
