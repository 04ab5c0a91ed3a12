import type { SubjectType } from "@muster/protocol";
import type { Transaction } from "../database.js";
import { eraseDeadLetters } from "../delivery/dead-letters.js";
import { eraseTraces } from "../delivery/traces.js";
import { PROFILE_TABLES } from "./profile-tables.js";

/**
 * Deletes erased profiles from every table that has their ids, and lists them in `erased`. Returns, by id, the ids of the
 * profiles that were merged into each, which are erased too.
 */
export async function eraseProfiles(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  erased: readonly { id: string; identifierKeys: readonly string[] }[],
): Promise<Map<string, string[]>> {
  const formerIds = new Map<string, string[]>();
  if (erased.length === 0) return formerIds;
  const ids = erased.map(({ id }) => id);
  const { profiles, identifiers, owner } = PROFILE_TABLES[subjectType];
  const { rows } = await tx.query<{ loser_id: string; survivor_id: string }>(
    `delete from merges
     where organization_id = $1 and survivor_id = any($2::text[])
     returning loser_id, survivor_id`,
    [organizationId, ids],
  );
  for (const { loser_id, survivor_id } of rows) {
    formerIds.set(survivor_id, [...(formerIds.get(survivor_id) ?? []), loser_id]);
  }
  const gone = [...ids, ...rows.map(({ loser_id }) => loser_id)];
  await tx.query(
    `insert into erased (organization_id, id, identifiers)
     select $1, id, array(select jsonb_array_elements_text(identifiers::jsonb))
     from unnest($2::text[], $3::text[]) as r (id, identifiers)
     on conflict do nothing`,
    [organizationId, gone, gone.map((_, index) => JSON.stringify(erased[index]?.identifierKeys ?? []))],
  );
  await tx.query("delete from sign_ins where organization_id = $1 and user_id = any($2::text[])", [
    organizationId,
    gone,
  ]);
  await tx.query("delete from comments where organization_id = $1 and object_id = any($2::text[])", [
    organizationId,
    gone,
  ]);
  await eraseDeadLetters(tx, organizationId, gone);
  await eraseTraces(tx, organizationId, gone);
  await tx.query(`delete from ${identifiers} where organization_id = $1 and ${owner} = any($2::text[])`, [
    organizationId,
    ids,
  ]);
  await tx.query(`delete from ${profiles} where organization_id = $1 and id = any($2::text[])`, [organizationId, ids]);
  return formerIds;
}
