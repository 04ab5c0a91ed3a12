import type { Api } from "../lib/api.js";
import { percentile } from "../lib/percentile.js";
import { questionsAbout } from "../search/questions.js";

/** How long one question took, at one number of users. */
export interface MeasuredSearch {
  name: string;
  p50Ms: number;
  p95Ms: number;
}

const ROUNDS = 20;
const WARM_UP = 3;
const PAGE_SIZE = 30;
// There is no segment in this run, because each record would move users between segments.
const NO_SEGMENT = "6553f100000020aaaaaaaaaa";

/** Asks each question of the search benchmark some times, one at a time, while nothing else happens. */
export async function measureSearches(
  api: Api,
  { users, now }: { users: number; now: number },
): Promise<MeasuredSearch[]> {
  const measured: MeasuredSearch[] = [];
  for (const { name, query, page, of } of questionsAbout({ users, segmentId: NO_SEGMENT, now })) {
    if (name === "segment membership") continue;
    const path = of === "events" ? "/search/events" : "/search/user_reports";
    const body = { query, per_page: page ? PAGE_SIZE : 0, ...(page ? { sort: page.sort } : {}) };
    const ms: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const startedAt = performance.now();
      await (await api("POST", path, body)).arrayBuffer();
      if (round >= WARM_UP) ms.push(performance.now() - startedAt);
    }
    measured.push({ name, p50Ms: percentile(ms, 0.5), p95Ms: percentile(ms, 0.95) });
  }
  return measured;
}
