import { ofOrganization, type Scope } from "./scope.js";

/**
 * The memberships that stand, as a subquery of `{entity_id, segment_id}`; `condition` may name nothing but these two.
 * The newest version of each is found by grouping and not by `final`, which would merge all of the organization's
 * memberships for the few that are asked for: for a small segment among 6 M memberships 7 ms of CPU against 220 ms, for
 * 1,000 touched users 85 ms against 105 ms. Only for segments that nearly everybody is in does `final` win.
 */
export function membershipRows(condition: string, scope: Scope): string {
  const touched = scope.ids === undefined ? "" : ` and entity_id in ${scope.ids}`;
  return `(select entity_id, segment_id from memberships where ${ofOrganization(scope)} and ${condition}${touched} group by entity_id, segment_id having argMax(is_deleted, version) = 0)`;
}
