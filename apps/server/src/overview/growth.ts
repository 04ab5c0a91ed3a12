import { DAY_MS, type SubjectType } from "@muster/protocol";
import type { Growth, GrowthPoint } from "@muster/protocol/api/overview";
import type { Search } from "../audience/search/search.js";

const DAYS = 90;

interface DayBucket {
  key: number;
  doc_count: number;
}

/**
 * The users and accounts that exist now, by the day on which they were created. Merged and
 * erased subjects are not counted on any day, because nothing of them is left to count.
 */
export async function readGrowth(search: Search, organizationId: string, now: Date): Promise<Growth> {
  const [users, accounts] = await Promise.all([
    growthOf(search, organizationId, "user", now),
    growthOf(search, organizationId, "account", now),
  ]);
  return { users, accounts };
}

async function growthOf(
  search: Search,
  organizationId: string,
  subjectType: SubjectType,
  now: Date,
): Promise<GrowthPoint[]> {
  const first = Math.floor(now.getTime() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
  const page = { sort: {}, page: 1, perPage: 0 };
  const since = { range: { created_at: { gte: new Date(first).toISOString(), lte: now.toISOString() } } };
  const before = { range: { created_at: { lt: new Date(first).toISOString() } } };
  const aggregations = { days: { date_histogram: { field: "created_at", interval: "day" } } };
  const [recent, older] = await Promise.all([
    search.search(organizationId, subjectType, { ...page, query: since, aggregations }),
    search.search(organizationId, subjectType, { ...page, query: before }),
  ]);
  const { buckets } = recent.aggregations.days as { buckets: DayBucket[] };
  const created = new Map(buckets.map(({ key, doc_count }) => [key, doc_count]));
  let total = older.pagination.total;
  return Array.from({ length: DAYS }, (_, index) => {
    const at = first + index * DAY_MS;
    const count = created.get(at) ?? 0;
    total += count;
    return { at: new Date(at).toISOString(), total, created: count };
  });
}
