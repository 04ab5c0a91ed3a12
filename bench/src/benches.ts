import type { Bench } from "./lib/bench.js";

/** All benchmarks. The module of a benchmark is loaded only when it runs. */
export const BENCHES: Record<string, () => Promise<Bench>> = {
  browser: () => import("./browser.js"),
  bulk: () => import("./bulk.js"),
  chaos: () => import("./chaos.js"),
  client: () => import("./client.js"),
  computed: () => import("./computed.js"),
  dashboard: () => import("./dashboard.js"),
  destinations: () => import("./destinations.js"),
  deletes: () => import("./deletes.js"),
  doors: () => import("./doors.js"),
  events: () => import("./events.js"),
  growth: () => import("./growth.js"),
  ingest: () => import("./ingest.js"),
  insights: () => import("./insights.js"),
  lookups: () => import("./lookups.js"),
  notify: () => import("./notify.js"),
  replace: () => import("./replace.js"),
  scale: () => import("./scale.js"),
  screens: () => import("./screens.js"),
  search: () => import("./search.js"),
  segments: () => import("./segments.js"),
  soak: () => import("./soak.js"),
  startup: () => import("./startup.js"),
};
