/**
 * The present memberships, as a subquery of `{entity_id, segment_id}`. The conditions may only use these columns and
 * `org`. The newest version of each is found by grouping and not by `final`, which would merge all memberships of the
 * organization: for a small segment among 6 M memberships grouping takes 7 ms of CPU time and `final` 220 ms, for 1,000
 * changed users 85 ms and 105 ms. `final` is faster only for segments that almost all subjects are in.
 */
export function membershipRows(conditions: readonly string[]): string {
  return `(select entity_id, segment_id from memberships where ${conditions.join(" and ")} group by entity_id, segment_id having argMax(is_deleted, version) = 0)`;
}
