import type { AskOptions } from "../../asking.js";
import type { Engine } from "../engine/engine.js";
import type { OrganizationFile } from "../engine/organization-file.js";

export interface MembershipKeyRow {
  [column: string]: unknown;
  entity_key: bigint;
  segment_id: string;
  entered_at: bigint;
}

/** The memberships of some users or accounts, in the order of the segment ids. */
export async function readMemberships(
  engine: Engine,
  { databaseName }: OrganizationFile,
  keys: readonly bigint[],
  options?: AskOptions,
): Promise<MembershipKeyRow[]> {
  if (keys.length === 0) return [];
  const sql = `select m.entity_key, s.id as segment_id, m.entered_at
    from ${databaseName}.memberships m
    join ${databaseName}.segments s on s.number = m.segment
    where m.entity_key in (select unnest($keys))
    order by s.id`;
  return engine.rows<MembershipKeyRow>({ sql, params: { keys: { type: "integer", value: keys } } }, options);
}

/** The segment ids of some users or accounts, by the key of the subject. */
export async function segmentIdsOf(
  engine: Engine,
  file: OrganizationFile,
  keys: readonly bigint[],
  options?: AskOptions,
): Promise<Map<bigint, string[]>> {
  const found = new Map<bigint, string[]>();
  for (const { entity_key, segment_id } of await readMemberships(engine, file, keys, options)) {
    const known = found.get(entity_key);
    if (known) known.push(segment_id);
    else found.set(entity_key, [segment_id]);
  }
  return found;
}
