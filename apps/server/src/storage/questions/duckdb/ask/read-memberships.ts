import type { AskOptions } from "../../asking.js";
import type { RunOptions } from "../engine/engine.js";
import type { OrganizationFile } from "../engine/organization-file.js";

export interface MembershipKeyRow {
  [column: string]: unknown;
  entity_key: bigint;
  segment_id: string;
  entered_at: bigint;
}

/** The memberships of some users or accounts, in the order of the segment ids. */
export async function readMemberships(
  file: OrganizationFile,
  keys: readonly bigint[],
  options?: Omit<RunOptions, "owner">,
): Promise<MembershipKeyRow[]> {
  if (keys.length === 0) return [];
  const sql = `select m.entity_key, s.id as segment_id, m.entered_at
    from ${file.databaseName}.memberships m
    join ${file.databaseName}.segments s on s.number = m.segment
    where m.entity_key in (select unnest($keys))
    order by s.id`;
  return file.rows<MembershipKeyRow>({ sql, params: { keys: { type: "integer", value: keys } } }, options);
}

/** The segment ids of some users or accounts, by the key of the subject. */
export async function segmentIdsOf(
  file: OrganizationFile,
  keys: readonly bigint[],
  options?: AskOptions,
): Promise<Map<bigint, string[]>> {
  const found = new Map<bigint, string[]>();
  for (const { entity_key, segment_id } of await readMemberships(file, keys, options)) {
    const known = found.get(entity_key);
    if (known) known.push(segment_id);
    else found.set(entity_key, [segment_id]);
  }
  return found;
}
