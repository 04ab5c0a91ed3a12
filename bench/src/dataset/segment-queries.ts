import { COUNTRIES, PLANS } from "./words.js";

/**
 * Queries of every common kind, each of which finds one percent of the users or less. They ask about attributes that both
 * the generated users and those of the ingest load have. The names of events differ.
 */
export function segmentQueries(count: number, eventName: (index: number) => string): object[] {
  return Array.from({ length: count }, (_, index) => queryOf(index, eventName(index)));
}

function queryOf(index: number, event: string): object {
  const mrr = (width: number) => ({ range: { mrr: { gte: index * 4, lt: index * 4 + width } } });
  switch (index % 5) {
    case 0:
      return {
        bool: {
          must: [{ term: { plan: PLANS[index % 4] } }, { term: { country: COUNTRIES[index % 7] } }, mrr(50)],
        },
      };
    case 1:
      return { bool: { filter: [{ term: { seats: index % 50 } }, { terms: { plan: ["pro", "enterprise"] } }] } };
    case 2:
      return mrr(10);
    case 3:
      return {
        bool: { must: [mrr(20), { exists: { field: "last_login_at" } }], must_not: [{ term: { trial: true } }] },
      };
    default:
      return {
        bool: {
          must: [
            mrr(50),
            {
              has_child: {
                type: "event",
                query: { bool: { must: [{ term: { event } }, { range: { created_at: { gte: "now-30d" } } }] } },
              },
            },
          ],
        },
      };
  }
}
