import type { ErasedSubject } from "../../../domain/erasure/erased-subjects.js";
import type { Queryable, Transaction } from "../database.js";
import { eraseNews } from "../delivery/account-news.js";
import { eraseDeadLetters } from "../delivery/dead-letters.js";
import { eraseTraces } from "../delivery/traces.js";
import { eraseComments } from "../objects/comments.js";
import { completeReceipts, type ErasedCounts } from "./erasure-receipts.js";
import type { LeftMention } from "./left-mentions.js";

/** Returns those of the given ids that belong to erased subjects. */
export async function findErased(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await database.query<{ id: string }>(
    "select id from erased where organization_id = $1 and id = any($2::text[])",
    [organizationId, [...new Set(ids)]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The sequence of the organization's last change with an erasure, or 0. */
export async function lastErasure(database: Queryable, organizationId: string): Promise<number> {
  const { rows } = await database.query<{ sequence: number | null }>(
    "select max(sequence) as sequence from erased where organization_id = $1",
    [organizationId],
  );
  return rows[0]?.sequence ?? 0;
}

/** Whether the users of an erased account `e` are still to follow it. Their rows and documents name it until then. */
const IS_LINKED = `exists (
         select from account_relinks r where r.organization_id = e.organization_id and r.from_account = e.id
       )`;

/**
 * Whether the question engine may still contain an erased subject, because it is behind the change log, or users who name
 * it.
 */
export async function isErasureUnprojected(database: Queryable, organizationId: string): Promise<boolean> {
  const { rows } = await database.query<{ any: boolean }>(
    `select exists (
       select from erased e
       left join project_cursors c using (organization_id)
       where e.organization_id = $1 and e.cleaned_at is null
         and (e.sequence > coalesce(c.sequence, 0) or ${IS_LINKED})
     ) as any`,
    [organizationId],
  );
  return rows[0]?.any ?? false;
}

/** About so many subjects are removed by one pass: it has all of them in memory, and looks for each in every text. */
const SUBJECTS_PER_PASS = 1_000;

export interface PassTiming {
  /** A pass begins this long after an erasure: until then, processes may write what they have in memory. */
  settleMs: number;
  /**
   * The shortest time between two passes through an organization: each reads its logs and rewrites its files. A pass
   * that has the most subjects it may have does not wait.
   */
  paceMs: number;
}

/**
 * Organizations whose logs, queues and files are to be cleaned now. All stages of the pipeline must have passed the
 * erasure, so that none of them writes about its subject afterwards, or reads the earlier changes again. A time far in the future was
 * stored before the clock was set back, so nothing waits for it.
 */
export async function organizationsToClean(
  database: Queryable,
  { settleMs, paceMs }: PassTiming = { settleMs: 0, paceMs: 0 },
): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    `select e.organization_id
     from erased e
     left join project_cursors c using (organization_id)
     where e.cleaned_at is null and e.sequence <= coalesce(c.computed_until, 0) and not ${IS_LINKED}
       and e.erased_at not between now() - $1 * interval '1 millisecond' and now() + $1 * interval '1 millisecond'
     group by e.organization_id
     having count(*) >= ${SUBJECTS_PER_PASS} or not exists (
       select from erased d
       where d.organization_id = e.organization_id
         and d.cleaned_at between now() - $2 * interval '1 millisecond' and now()
     )`,
    [settleMs, paceMs],
  );
  return rows.map(({ organization_id }) => organization_id);
}

/**
 * The steps of a pass in order: the change log, the lanes of the ingestion log, rejected entries, rejected lines of
 * imports, answers to batches, queued messages, dead letters, logs of connectors, saved views, versions of segments,
 * jobs, the audit log.
 */
export const PASS_STEPS = [
  "changes",
  "a",
  "l",
  "b",
  "rejected",
  "lines",
  "answers",
  "messages",
  "letters",
  "logs",
  "views",
  "versions",
  "jobs",
  "audit",
  "end",
] as const;
export type PassStep = (typeof PASS_STEPS)[number];

/** One pass through all that an organization has stored, which removes everything about its erased subjects. */
export interface ErasurePass {
  /** It removes the subjects that were erased by changes up to this one. */
  untilSequence: number;
  step: PassStep;
  /** The last row of the step's log that is done, or 0. */
  after: number;
  /** What was removed so far. */
  counts: ErasedCounts;
}

/** Locks the organization's present pass, or starts one. Returns undefined when another process has locked it. */
export async function lockPass(tx: Transaction, organizationId: string): Promise<ErasurePass | undefined> {
  await tx.query(
    `with projected as (
       select coalesce(max(computed_until), 0) as sequence from project_cursors where organization_id = $1
     ), full_pass as (
       select e.sequence
       from erased e, projected p
       where e.organization_id = $1 and e.cleaned_at is null and e.sequence <= p.sequence and not ${IS_LINKED}
       order by e.sequence
       offset ${SUBJECTS_PER_PASS - 1}
       limit 1
     )
     insert into erasure_passes (organization_id, step, until_sequence)
     select $1, $2, coalesce((select sequence from full_pass), sequence) from projected
     on conflict do nothing`,
    [organizationId, PASS_STEPS[0]],
  );
  return lockStartedPass(tx, organizationId);
}

/** Locks the organization's present pass. Returns undefined when it has none, or another process has locked it. */
export async function lockStartedPass(tx: Transaction, organizationId: string): Promise<ErasurePass | undefined> {
  const { rows } = await tx.query<ErasurePass>(
    `select until_sequence as "untilSequence", step, after, counts
     from erasure_passes
     where organization_id = $1
     for update skip locked`,
    [organizationId],
  );
  return rows[0];
}

export async function savePass(
  tx: Transaction,
  organizationId: string,
  { step, after, counts }: Pick<ErasurePass, "step" | "after" | "counts">,
): Promise<void> {
  await tx.query(
    "update erasure_passes set step = $2, after = $3, counts = $4::text::jsonb where organization_id = $1",
    [organizationId, step, after, JSON.stringify(counts)],
  );
}

/** The subjects that a pass removes. */
export async function listToClean(
  tx: Transaction,
  organizationId: string,
  { untilSequence }: Pick<ErasurePass, "untilSequence">,
): Promise<ErasedSubject[]> {
  const { rows } = await tx.query<ErasedSubject>(
    `select id, identifiers, erased_at as "erasedAt"
     from erased e
     where organization_id = $1 and cleaned_at is null and sequence <= $2 and not ${IS_LINKED}`,
    [organizationId, untilSequence],
  );
  return rows;
}

/**
 * Ends a pass and deletes the identifiers of its subjects. Their ids stay, marked as erased. Their receipts say what the
 * pass removed and what it left.
 */
export async function endPass(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
  counts: ErasedCounts = {},
  left: ReadonlyMap<string, readonly LeftMention[]> = new Map(),
): Promise<void> {
  let eventKeys = 0;
  for (const table of ["event_keys", "end_user_event_keys"]) {
    const { rowCount } = await tx.query(
      `delete from ${table} where organization_id = $1 and user_id = any($2::text[])`,
      [organizationId, ids],
    );
    eventKeys += rowCount ?? 0;
  }
  // A sign-in, a comment or a message may have arrived while its subject was being erased.
  for (const table of ["sign_ins", "user_marks"]) {
    await tx.query(`delete from ${table} where organization_id = $1 and user_id = any($2::text[])`, [
      organizationId,
      ids,
    ]);
  }
  await eraseComments(tx, organizationId, ids);
  await eraseNews(tx, organizationId, ids);
  const letters = await eraseDeadLetters(tx, organizationId, ids);
  const traces = await eraseTraces(tx, organizationId, ids);
  const cleaned = {
    ...counts,
    event_keys: eventKeys,
    dead_letters: (counts.dead_letters ?? 0) + letters.length,
    delivery_traces: traces.length,
  };
  await completeReceipts(tx, organizationId, ids, cleaned, left);
  await tx.query(
    `update erased
     set cleaned_at = now(), identifiers = '{}'
     where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids],
  );
  await tx.query("delete from erasure_passes where organization_id = $1", [organizationId]);
}
