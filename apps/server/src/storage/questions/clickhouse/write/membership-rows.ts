/**
 * The memberships that stand, as a subquery of `{entity_id, segment_id}`; conditions may name no other columns but `org`.
 * The newest version of each is found by grouping and not by `final`, which would merge all of the organization's
 * memberships for the few that are asked for: for a small segment among 6 M memberships 7 ms of CPU against 220 ms, for
 * 1,000 touched users 85 ms against 105 ms. Only for segments that nearly everybody is in does `final` win.
 */
export function membershipRows(conditions: readonly string[]): string {
  return `(select entity_id, segment_id from memberships where ${conditions.join(" and ")} group by entity_id, segment_id having argMax(is_deleted, version) = 0)`;
}
