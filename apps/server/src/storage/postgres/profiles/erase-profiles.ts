import type { SubjectType } from "@muster/protocol";
import { type ErasedCounts, saveReceipts } from "../changes/erasure-receipts.js";
import type { Transaction } from "../database.js";
import { eraseNews } from "../delivery/account-news.js";
import { eraseDeadLetters } from "../delivery/dead-letters.js";
import { eraseTraces } from "../delivery/traces.js";
import { expireExtracts } from "../jobs/job-files.js";
import { eraseComments } from "../objects/comments.js";
import { PROFILE_TABLES } from "./profile-tables.js";

/** The change that erases subjects, and when the last entry that asked for it was received. */
interface Erasure {
  sequence: number;
  receivedAt: Date;
}

/**
 * Deletes erased profiles from every table that has their ids, lists them in `erased`, and stores a receipt for each.
 * Their identifiers are not deleted here: `saveIdentifiers` has deleted them, because nobody has them any more. Returns, by id, the ids of the profiles that were merged into each, which are erased too.
 */
export async function eraseProfiles(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  erased: readonly { id: string; identifierKeys: readonly string[] }[],
  { sequence, receivedAt }: Erasure,
): Promise<Map<string, string[]>> {
  const formerIds = new Map<string, string[]>();
  if (erased.length === 0) return formerIds;
  const { rows } = await tx.query<{ loser_id: string; survivor_id: string }>(
    `delete from merges
     where organization_id = $1 and survivor_id = any($2::text[])
     returning loser_id, survivor_id`,
    [organizationId, erased.map(({ id }) => id)],
  );
  for (const { loser_id, survivor_id } of rows) {
    formerIds.set(survivor_id, [...(formerIds.get(survivor_id) ?? []), loser_id]);
  }
  const gone = [...erased.map(({ id }) => id), ...rows.map(({ loser_id }) => loser_id)];
  // The time is compared with those at which entries were received, and the clocks of processes may be ahead.
  await tx.query(
    `insert into erased (organization_id, id, identifiers, sequence, erased_at)
     select $1, id, array(select jsonb_array_elements_text(identifiers::jsonb)), $4, greatest(now(), $5::timestamptz)
     from unnest($2::text[], $3::text[]) as r (id, identifiers)
     on conflict do nothing`,
    [
      organizationId,
      gone,
      gone.map((_, index) => JSON.stringify(erased[index]?.identifierKeys ?? [])),
      sequence,
      receivedAt,
    ],
  );
  const removed = await eraseRows(tx, subjectType, organizationId, gone, formerIds);
  for (const { id, identifierKeys } of erased)
    removed.set(id, { ...removed.get(id), identifiers: identifierKeys.length });
  await saveReceipts(tx, subjectType, organizationId, removed);
  return formerIds;
}

/** Deletes profiles, and leaves everything that is logged of them. They were never merged, and nobody has commented on them. */
export async function deleteProfiles(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  deleted: readonly { id: string }[],
): Promise<void> {
  if (deleted.length === 0) return;
  const ids = deleted.map(({ id }) => id);
  await tx.query("delete from former_identifiers where organization_id = $1 and owner_id = any($2::text[])", [
    organizationId,
    ids,
  ]);
  await tx.query(
    `delete from ${PROFILE_TABLES[subjectType].profiles} where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids],
  );
}

/** Deletes the rows of subjects with the given ids. Returns for each subject how many there were, by kind. */
async function eraseRows(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  ids: readonly string[],
  formerIds: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, ErasedCounts>> {
  const { profiles } = PROFILE_TABLES[subjectType];
  const remove = async (table: string, column: string) => {
    const { rows } = await tx.query<{ id: string }>(
      `delete from ${table} where organization_id = $1 and ${column} = any($2::text[]) returning ${column} as id`,
      [organizationId, ids],
    );
    return rows.map(({ id }) => id);
  };
  const removed: Record<string, string[]> = {
    // A profile that was merged into another has no row any more.
    profiles: [...ids],
    sign_ins: await remove("sign_ins", "user_id"),
    marks: await remove("user_marks", "user_id"),
    comments: await eraseComments(tx, organizationId, ids),
    dead_letters: await eraseDeadLetters(tx, organizationId, ids),
    delivery_traces: await eraseTraces(tx, organizationId, ids),
  };
  if (subjectType === "account") await eraseNews(tx, organizationId, ids);
  await remove("former_identifiers", "owner_id");
  await remove("merge_halves", "subject_id");
  await remove("undone_merges", "loser_id");
  await remove("undone_merges", "survivor_id");
  await remove("do_not_merge", "one_id");
  await remove("do_not_merge", "other_id");
  await remove(profiles, "id");
  const extractFiles = await expireExtracts(tx, organizationId, subjectType);

  const survivors = new Map([...formerIds].flatMap(([id, former]) => former.map((formerId) => [formerId, id])));
  const counts = new Map<string, ErasedCounts>();
  for (const id of ids) {
    if (!survivors.has(id)) counts.set(id, { extract_files: extractFiles });
  }
  for (const [kind, owners] of Object.entries(removed)) {
    for (const subject of counts.values()) subject[kind] = 0;
    for (const id of owners) {
      const subject = counts.get(survivors.get(id) ?? id);
      if (subject) subject[kind] = (subject[kind] ?? 0) + 1;
    }
  }
  return counts;
}
