import { measureFill } from "./computed/measure-fill.js";
import { measureLoad } from "./computed/measure-load.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";

const USERS = 1_000_000;
const LOAD_SECONDS = 60;
const GOALS = { cost: 1.3, fillSeconds: 20 };
const CASES = [
  { computed: 0, rollUps: 0 },
  { computed: 20, rollUps: 0 },
  { computed: 100, rollUps: 0 },
  { computed: 0, rollUps: 20 },
];

/**
 * Measures what computed attributes cost: for each record that arrives, until a new one has its values for everybody, and
 * until a record has changed a value. `--scale` is of a million users with ten events each.
 */
export async function run({ scale, seconds, users, only }: BenchOptions): Promise<BenchResult> {
  const tables: BenchResult["tables"] = [];
  if (only === undefined || "ingest".includes(only)) {
    const measured: Awaited<ReturnType<typeof measureLoad>>[] = [];
    for (const one of CASES) {
      measured.push(await measureLoad({ ...one, seconds: seconds ?? Math.max(5, LOAD_SECONDS * scale) }));
    }
    const base = measured[0]?.microseconds ?? 0;
    tables.push({
      headings: [
        "computed attributes",
        "searchable entries/s",
        "µs of processors an entry",
        "of the cost without",
        "all computed after s",
        "goal",
      ],
      rows: measured.map(({ computed, rollUps, perSecond, microseconds, settledSeconds }) => [
        rollUps > 0 ? `${rollUps} roll-ups` : `${computed}`,
        perSecond,
        microseconds,
        `${(microseconds / base).toFixed(2)} ×`,
        settledSeconds,
        computed !== 20 ? "" : microseconds / base <= GOALS.cost ? "met" : `over ${GOALS.cost} ×`,
      ]),
    });
  }
  if (only === undefined || "fill".includes(only)) {
    const count = users ?? Math.round(USERS * scale);
    const { fillSeconds, againSeconds, changeMs } = await measureFill(count);
    tables.push({
      headings: [`over ${count.toLocaleString("en")} users`, "value", "goal"],
      rows: [
        [
          "s until a new computed attribute has its values",
          fillSeconds,
          fillSeconds <= GOALS.fillSeconds ? "met" : `over ${GOALS.fillSeconds} s`,
        ],
        ["s until an edited one is computed again", againSeconds, ""],
        ["ms from the acknowledgement of an event until its user has the value", changeMs, ""],
      ],
    });
  }
  return { tables };
}
