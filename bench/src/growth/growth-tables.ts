import { cpuTable } from "../ingest/ingest-tables.js";
import type { MeasuredLoad } from "../ingest/measure-load.js";
import type { BenchResult, ResultTable } from "../lib/bench-result.js";
import { CPU_PARTS, totalOf } from "../lib/cpu-parts.js";
import { goalMark } from "../lib/goal-mark.js";
import type { Cell } from "../lib/render-table.js";
import type { MeasuredSearch } from "./measure-searches.js";

/** What was measured at one number of users. */
export interface Grown {
  users: number;
  load: Pick<MeasuredLoad, "name" | "searchablePerSecond" | "cpuUs" | "report">;
  searches: readonly MeasuredSearch[];
}

/** The cost of a record with the most users, beside the cost with the fewest. */
const LARGEST_RATIO = 1.3;

/** Compares the sizes, from the smallest to the largest. */
export function growthTables(grown: readonly Grown[]): BenchResult {
  const sizes = grown.map(({ users }) => users.toLocaleString("en"));
  const [first] = grown;
  const last = grown.at(-1);
  if (!first || !last) return { tables: [] };
  const ratio = totalOf(last.load.cpuUs) / totalOf(first.load.cpuUs);
  return {
    about: `${sizes.join(", ")} users with 20 attributes, 10 events each`,
    tables: [
      {
        headings: ["cost of a record", "measured", "goal", ""],
        rows: [
          [
            `with ${last.load.name} users, beside ${first.load.name}`,
            `${ratio.toFixed(2)} times`,
            `≤ ${LARGEST_RATIO} times`,
            goalMark(ratio <= LARGEST_RATIO),
          ],
          ["what grows", whatGrows(first, last), "", ""],
        ],
      },
      {
        headings: ["users", "searchable entries/s", "ack p50 ms", "ack p99 ms", "CPU µs per entry"],
        rows: grown.map(({ load }) => [
          load.name,
          load.searchablePerSecond,
          load.report.p50Ms,
          load.report.p99Ms,
          totalOf(load.cpuUs),
        ]),
      },
      withRatio(cpuTable(grown.map(({ load }) => load))),
      searchTable(grown, sizes),
    ],
  };
}

/** The parts whose cost has grown, the one that has grown most first. */
function whatGrows(first: Grown, last: Grown): string {
  const growing = CPU_PARTS.map((part) => ({ part, us: last.load.cpuUs[part] - first.load.cpuUs[part] }))
    .filter(({ us }) => us >= 1)
    .sort((one, other) => other.us - one.us);
  return growing.map(({ part, us }) => `${part} +${us.toFixed(0)} µs`).join(", ") || "nothing";
}

/** Adds what each row is at the largest size, beside the smallest. */
function withRatio({ headings, rows }: ResultTable): ResultTable {
  return { headings: [...headings, "largest / smallest"], rows: rows.map((row) => [...row, ratioOf(row)]) };
}

function ratioOf(row: readonly Cell[]): Cell {
  const first = Number(row[1]);
  return first > 0 ? Number(row.at(-1)) / first : "";
}

function searchTable(grown: readonly Grown[], sizes: readonly string[]): ResultTable {
  const names = grown[0]?.searches.map(({ name }) => name) ?? [];
  return {
    headings: ["question", ...sizes.flatMap((size) => [`${size}: p50 ms`, "p95 ms"])],
    rows: names.map((name) => [
      name,
      ...grown.flatMap(({ searches }) => {
        const found = searches.find((search) => search.name === name);
        return [found?.p50Ms ?? Number.NaN, found?.p95Ms ?? Number.NaN];
      }),
    ]),
  };
}
