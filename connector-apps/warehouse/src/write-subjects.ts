import type { SubjectRecord, SubjectType } from "@muster/protocol";
import type { ClientBase } from "pg";
import { SUBJECT_COLUMNS } from "./tables.js";
import { toJson } from "./to-json.js";

/** What is written about one user or account. */
export interface SubjectState {
  report: SubjectRecord;
  /** The account that a user belongs to, when it is known. */
  accountId?: unknown;
  segmentIds: readonly string[];
}

/**
 * Writes users or accounts and their memberships. When there are several states of one subject, only the last is
 * written, because the last is the newest. A row that is newer than the state stays as it is, with its memberships.
 */
export async function writeSubjects(
  tx: ClientBase,
  schema: string,
  subjectType: SubjectType,
  states: readonly SubjectState[],
): Promise<void> {
  const latest = [...new Map(states.map((state) => [state.report.id, state])).values()];
  const table = `${subjectType}s`;
  const texts = SUBJECT_COLUMNS[subjectType];
  const columns = ["id", ...texts, "attributes", "updated_at"];
  const replaced = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  const written = await tx.query<{ id: string }>(
    `insert into ${schema}.${table} (${columns.join(", ")})
     select ${columns.join(", ")}
     from jsonb_to_recordset($1::jsonb) as row(
       id text, ${texts.map((name) => `${name} text`).join(", ")}, attributes jsonb, updated_at timestamptz)
     on conflict (id) do update set ${replaced.join(", ")}, exported_at = now()
     where ${table}.updated_at is null or excluded.updated_at is null or excluded.updated_at >= ${table}.updated_at
     returning id`,
    [toJson(latest.map(rowOf))],
  );
  const writtenIds = new Set(written.rows.map(({ id }) => id));
  const changed = latest.filter(({ report }) => writtenIds.has(report.id));
  await writeMemberships(tx, schema, subjectType, changed);
}

/** Deletes users or accounts with their memberships, and the events of users. */
export async function deleteSubjects(
  tx: ClientBase,
  schema: string,
  subjectType: SubjectType,
  ids: readonly string[],
): Promise<void> {
  if (subjectType === "user") await tx.query(`delete from ${schema}.events where user_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.${subjectType}_segments where ${subjectType}_id = any($1)`, [ids]);
  await tx.query(`delete from ${schema}.${subjectType}s where id = any($1)`, [ids]);
}

function rowOf({ report, accountId }: SubjectState): object {
  return { ...report, account_id: accountId ?? report.account_id, attributes: report };
}

async function writeMemberships(
  tx: ClientBase,
  schema: string,
  subjectType: SubjectType,
  states: readonly SubjectState[],
): Promise<void> {
  const rows = toJson(states.map(({ report, segmentIds }) => ({ id: report.id, segment_ids: segmentIds })));
  const given = "jsonb_to_recordset($1::jsonb) as subject(id text, segment_ids text[])";
  await tx.query(
    `delete from ${schema}.${subjectType}_segments as membership using ${given}
     where membership.${subjectType}_id = subject.id and membership.segment_id <> all(subject.segment_ids)`,
    [rows],
  );
  await tx.query(
    `insert into ${schema}.${subjectType}_segments (${subjectType}_id, segment_id)
     select subject.id, unnest(subject.segment_ids) from ${given}
     on conflict do nothing`,
    [rows],
  );
}
