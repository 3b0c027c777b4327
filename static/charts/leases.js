// @ts-check
// Leases of the feature pool, oldest first, with what each consumer still owes.

import { bytes, count, duration } from "../js/format.js";
import { table } from "../js/twin.js";

const MAX_ROWS = 60;
/** A lease this many times older than the recycle interval is worth a look. */
const LATE_S = 1;

/** @type {import("../js/types.d.ts").Chart} */
export const chart = {
  id: "leases",
  title: "leases",
  kinds: ["mm_feature"],
  hz: 2,
  mount(el, ctx) {
    const box = /** @type {HTMLElement} */ (el.querySelector("[data-table]"));
    return {
      update(store) {
        const name = ctx.pool();
        const pool = store.pools[name];
        const geometry = store.geometry.get(name);
        if (!pool || !geometry?.ready) return;
        const consumers = pool.leases?.outstanding.length ?? 0;
        const rows = leases(geometry, store.sim_t);
        const sub = el.querySelector("[data-sub]");
        const text = `${name} · ${count(rows.length)} held · oldest first`;
        if (sub && sub.textContent !== text) sub.textContent = text;
        if (!rows.length) {
          box.textContent = "No lease is held now.";
          return;
        }
        const shown = rows
          .slice(0, MAX_ROWS)
          .map((lease) => [
            lease.slot,
            count(lease.generation),
            bytes(lease.bytes),
            age(lease),
            `${Math.max(consumers - lease.missing, 0)}/${consumers}`,
          ]);
        table(box, ["slot", ">gen", ">size", ">age", ">acks"], shown, "Leases, oldest first");
      },
    };
  },
};

/** @param {import("../js/geometry.js").Geometry} geometry @param {number} sim_t */
function leases({ leases: rows, lease_seen }, sim_t) {
  const found = [];
  for (let row = 0; row < rows.length; row += 5) {
    const seen = lease_seen.get(`${rows[row]}:${rows[row + 3]}`);
    found.push({
      slot: rows[row],
      bytes: rows[row + 2] - rows[row + 1],
      generation: rows[row + 3],
      missing: rows[row + 4],
      age_s: Math.max(0, sim_t - (seen?.sim_t ?? sim_t)),
      exact: seen?.exact ?? false,
    });
  }
  return found.sort((a, b) => b.age_s - a.age_s || a.slot - b.slot);
}

/** @param {{age_s: number, exact: boolean}} lease */
function age({ age_s, exact }) {
  const span = document.createElement("span");
  span.textContent = exact ? duration(age_s) : age_s < 0.01 ? "–" : `≥ ${duration(age_s)}`;
  span.title = exact
    ? "simulated time since it was seen to begin"
    : "older than this page; at least this long";
  if (age_s > LATE_S) span.className = "late";
  return span;
}
