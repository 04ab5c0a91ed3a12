import type { Bench } from "./lib/bench.js";
import { parseArguments } from "./lib/parse-arguments.js";

/** All benchmarks. The module of a benchmark is loaded only when it runs. */
const BENCHES: Record<string, () => Promise<Bench>> = {
  browser: () => import("./browser.js"),
  bulk: () => import("./bulk.js"),
  chaos: () => import("./chaos.js"),
  client: () => import("./client.js"),
  dashboard: () => import("./dashboard.js"),
  doors: () => import("./doors.js"),
  ingest: () => import("./ingest.js"),
  notify: () => import("./notify.js"),
  replace: () => import("./replace.js"),
  search: () => import("./search.js"),
  segments: () => import("./segments.js"),
  startup: () => import("./startup.js"),
};

const names = Object.keys(BENCHES);
const { name, ...options } = parseArguments(process.argv.slice(2));
const load = BENCHES[name ?? ""];
if (load) {
  const bench = await load();
  await bench.run(options);
} else {
  console.error(
    `Usage: npm run bench -- NAME [--scale x] [--seconds s] [--minutes m] [--seed n] [--only text]\nNAME is one of: ${names.join(", ")}.`,
  );
  process.exitCode = 1;
}
