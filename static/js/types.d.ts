// Shapes shared by the modules, as the server sends them: same names, same units.

export interface Counters {
  allocs_total: number;
  frees_total: number;
  failures_total: Record<string, number>;
  raised_total: Record<string, number>;
}

export interface PoolSnapshot {
  name: string;
  kind: string;
  unit: string;
  device: string;
  source: string;
  capacity: number;
  available: number;
  evictable: number;
  protected: number;
  held: number;
  leaked: number;
  retired: number;
  page_size: number;
  view_of: string | null;
  modelled_bytes: number;
  allocated_bytes: number;
  free_ranges: null | {
    count: number;
    largest: number;
    total: number;
    histogram: number[];
    external_fragmentation_frac: number;
    largest_fit_now: number;
    largest_fit_after_merge: number;
  };
  generations: null | {
    limit: number;
    max: number;
    hottest_slot: number;
    quantiles: [number, number, number];
    bumps_total: number;
    bumps_per_s: number;
    seconds_until_limit: number | null;
  };
  leases: null | { count: number; oldest_age_s: number; outstanding: number[] };
  counters: Counters;
  extra: Record<string, number>;
}

export interface Verdict {
  text: string;
  severity?: "calm" | "warning" | "binding";
  cause_class: string;
  code: string | null;
  pool?: string | null;
  flag: string | null;
  direction: "raise" | "lower" | "none";
  number: number | null;
  confidence: "certain" | "likely" | "unknown";
  detail?: string;
  how: string | string[];
}

/** What `hello` says of one pool. */
export interface PoolShape {
  kind: string;
  unit: string;
  capacity: number;
  page_size: number;
  cells: number;
  unit_per_cell: number;
  has_generation: boolean;
  has_owner: boolean;
  has_ranges: boolean;
  view_of: string | null;
  first_id?: number;
}

export interface PoolEvent {
  kind: "event";
  event_seq: number;
  t: number;
  sim_t: number;
  pool: string | null;
  level: "info" | "warning" | "error" | "critical";
  code: string | null;
  message: string;
  numbers: Record<string, unknown>;
  href: string | null;
  /** Id of the incident that it belongs to. */
  incident?: string;
}

export type Engine = Record<string, any>;
export type Header = Record<string, any> & { kind: string };
export type WireArray = Uint8Array | Uint32Array | Int32Array | Float64Array;
export interface Frame {
  header: Header;
  arrays: Record<string, WireArray>;
}

export interface PageData {
  version: string;
  read_only: boolean;
  selected: string | null;
  host: null | { name: string; state: string; source: string; device: string; epoch: number };
  pools: PoolSnapshot[];
  engine: Engine | null;
  verdict: Verdict | null;
  events: PoolEvent[];
}

/** What a chart gets when it is mounted. */
export interface ChartContext {
  store: import("./store.js").Store;
  palette: import("./palette.js").Palette;
  /** Name of the pool a panel is about, followed through `@selected`. */
  pool: () => string;
  /** Ask for a redraw of this chart. */
  invalidate: () => void;
  /** Whether updates are held still (paused or frozen), so that reading may cost more. */
  still: () => boolean;
}

/** The one export of a file in static/charts. */
export interface Chart {
  id: string;
  title: string;
  /** Kinds of pool it can show; empty: any. */
  kinds: string[];
  /** Most draws per second; absent: once per frame received. */
  hz?: number;
  /** Costs over 10 ms a draw: not drawn while someone drags or zooms. */
  heavy?: boolean;
  mount(el: HTMLElement, ctx: ChartContext): ChartInstance | Promise<ChartInstance>;
}

export interface ChartInstance {
  update(store: import("./store.js").Store): void;
  destroy?(): void;
}
