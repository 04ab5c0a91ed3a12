import type { BenchOptions } from "./lib/bench.js";
import { percentile } from "./lib/percentile.js";
import { renderTable } from "./lib/render-table.js";
import { measureIngestion } from "./segments/ingestion-cost.js";
import { measureWholeAudience } from "./segments/whole-audience.js";

const USERS = 1_000_000;
const SEGMENTS = 100;
const LOAD_SECONDS = 60;
const PACE = 1_000;
const GOALS = { fillSeconds: 15, costShare: 0.5, delayMs: 200 };

/** Measures what a hundred segments cost: for all users, for each record that arrives, and until a membership is written. */
export async function run({ scale }: BenchOptions): Promise<void> {
  const users = Math.round(USERS * scale);
  const { fillSeconds, members, againSeconds } = await measureWholeAudience(users, SEGMENTS);
  console.log(
    renderTable(
      [`${SEGMENTS} segments over ${users.toLocaleString("en")} users`, "seconds", "goal"],
      [
        [
          `created, until ${members.toLocaleString("en")} memberships are written`,
          fillSeconds,
          fillSeconds <= GOALS.fillSeconds ? "met" : `over ${GOALS.fillSeconds} s`,
        ],
        ["all users evaluated again for all segments", againSeconds, ""],
      ],
    ),
  );

  const seconds = Math.max(5, LOAD_SECONDS * scale);
  const none = await measureIngestion({ segments: 0, seconds });
  const ten = await measureIngestion({ segments: 10, seconds });
  const hundred = await measureIngestion({ segments: SEGMENTS, seconds, pace: PACE });
  const share = (perSecond: number) => perSecond / none.cost.perSecond;
  console.log(
    `\n${renderTable(
      ["segments", "searchable entries/s", "of the rate without segments", "added µs per entry", "goal"],
      [none, ten, hundred].map(({ cost: { segments, perSecond } }) => [
        segments,
        perSecond,
        `${(share(perSecond) * 100).toFixed(0)} %`,
        1e6 / perSecond - 1e6 / none.cost.perSecond,
        share(perSecond) >= 1 - GOALS.costShare ? "met" : `below ${(1 - GOALS.costShare) * 100} %`,
      ]),
    )}`,
  );

  const ms = hundred.delay?.ms ?? [];
  const p50 = percentile(ms, 0.5);
  console.log(
    `\n${renderTable(
      [`acknowledged → in the segment, at ${PACE} entries/s with ${SEGMENTS} segments`, "ms", "goal"],
      [
        ["p50", p50, p50 <= GOALS.delayMs ? "met" : `over ${GOALS.delayMs} ms`],
        ["p95", percentile(ms, 0.95), ""],
      ],
    )}`,
  );
}
