import type { Membership } from "../../memberships.js";
import type { QuestionOptions, Statements } from "../client/statements.js";

interface MembershipRow {
  entity_id: string;
  segment_id: string;
  entered_at: string;
}

/** The memberships of users or accounts, in the order of the segment ids, with an entry for each subject. */
export async function readMemberships(
  statements: Statements,
  organizationId: string,
  ids: readonly string[],
  options?: QuestionOptions,
): Promise<Map<string, Membership[]>> {
  const found = new Map<string, Membership[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return found;
  // Grouping instead of `final`: see `membershipRows` for the reason.
  const rows = await statements.rows<MembershipRow>(
    `select entity_id, segment_id, argMax(memberships.entered_at, version) as entered_at
     from memberships
     where org = {org:FixedString(24)} and entity_id in {ids:Array(FixedString(24))}
     group by entity_id, segment_id
     having argMax(is_deleted, version) = 0
     order by segment_id`,
    { org: organizationId, ids },
    options,
  );
  for (const { entity_id, segment_id, entered_at } of rows) {
    found.get(entity_id)?.push({ segmentId: segment_id, enteredAt: entered_at });
  }
  return found;
}

export async function readSegmentIds(
  statements: Statements,
  organizationId: string,
  ids: readonly string[],
  options?: QuestionOptions,
): Promise<Map<string, string[]>> {
  const found = await readMemberships(statements, organizationId, ids, options);
  return new Map([...found].map(([id, memberships]) => [id, memberships.map(({ segmentId }) => segmentId)]));
}
