import type { BenchOptions } from "./lib/bench.js";
import { percentile } from "./lib/percentile.js";
import { renderTable } from "./lib/render-table.js";
import { measureIngestion } from "./segments/ingestion-cost.js";
import { measureWholeAudience } from "./segments/whole-audience.js";

const USERS = 1_000_000;
const SEGMENTS = 100;
const MANY_SEGMENTS = 2_000;
const LOAD_SECONDS = 60;
const PACE = 1_000;
const GOALS = { fillSeconds: 15, costShare: 0.5, delayMs: 200 };

/**
 * Measures what a hundred segments cost, and two thousand: for all users, for each record that arrives, and until a
 * membership is written.
 */
export async function run({ scale }: BenchOptions): Promise<void> {
  const users = Math.round(USERS * scale);
  await printWholeAudience(users, SEGMENTS, GOALS.fillSeconds);
  // Twenty times the segments over a fifth of the users: the whole takes too long otherwise.
  await printWholeAudience(Math.round(users / 5), MANY_SEGMENTS);

  const seconds = Math.max(5, LOAD_SECONDS * scale);
  const measured: Awaited<ReturnType<typeof measureIngestion>>[] = [];
  for (const segments of [0, 10, SEGMENTS, MANY_SEGMENTS]) {
    measured.push(await measureIngestion({ segments, seconds, ...(segments >= SEGMENTS ? { pace: PACE } : {}) }));
  }
  const [none] = measured;
  const fullRate = none?.cost.perSecond ?? 0;
  const share = (perSecond: number) => perSecond / fullRate;
  console.log(
    `\n${renderTable(
      ["segments", "searchable entries/s", "of the rate without segments", "added µs per entry", "goal"],
      measured.map(({ cost: { segments, perSecond } }) => [
        segments,
        perSecond,
        `${(share(perSecond) * 100).toFixed(0)} %`,
        1e6 / perSecond - 1e6 / fullRate,
        segments > SEGMENTS
          ? ""
          : share(perSecond) >= 1 - GOALS.costShare
            ? "met"
            : `below ${(1 - GOALS.costShare) * 100} %`,
      ]),
    )}`,
  );

  console.log(
    `\n${renderTable(
      [`acknowledged → in the segment, at ${PACE} entries/s`, "p50 ms", "p95 ms", "goal"],
      measured.flatMap(({ cost: { segments }, delay }) => {
        if (!delay) return [];
        const p50 = percentile(delay.ms, 0.5);
        const goal = p50 <= GOALS.delayMs ? "met" : `over ${GOALS.delayMs} ms`;
        return [[`with ${segments.toLocaleString("en")} segments`, p50, percentile(delay.ms, 0.95), goal]];
      }),
    )}`,
  );
}

async function printWholeAudience(users: number, segments: number, goalSeconds?: number): Promise<void> {
  const { fillSeconds, fillCpu, members, againSeconds } = await measureWholeAudience(users, segments);
  const cpuMs = Object.values(fillCpu).reduce((sum, ms) => sum + ms, 0);
  const goal = goalSeconds === undefined ? "" : fillSeconds <= goalSeconds ? "met" : `over ${goalSeconds} s`;
  console.log(
    `${renderTable(
      [`${segments.toLocaleString("en")} segments over ${users.toLocaleString("en")} users`, "seconds", "goal"],
      [
        [`created, until ${members.toLocaleString("en")} memberships are written`, fillSeconds, goal],
        ["processor time of that", cpuMs / 1_000, ""],
        ["all users evaluated again for all segments", againSeconds, ""],
      ],
    )}\n`,
  );
}
