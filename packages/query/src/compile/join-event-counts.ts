import { or } from "./logic.js";
import { ownerKey, rowsOf, type Scope } from "./scope.js";

/** The join that computes the counts of the scope's `counters`; call it after everything has been compiled. */
export function joinEventCounts(scope: Scope): string {
  const conditions = scope.counters?.conditions ?? [];
  if (conditions.length === 0 || scope.among === undefined) return "";
  const owner = ownerKey(scope);
  const counts = conditions.map(
    (condition, place) => `sum(case when ${condition} then 1 else 0 end) as event_count_${place}`,
  );
  const rows = `${rowsOf("event", scope)} and ${scope.among(owner)} and ${or(conditions)}`;
  const counted = `select ${owner} as event_owner, ${counts.join(", ")} from ${rows} group by event_owner`;
  return ` left join (${counted}) as event_counts on ${scope.dialect.key} = event_counts.event_owner`;
}
