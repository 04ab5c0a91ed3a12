import type { Pseudonyms } from "../../../domain/erasure/pseudonyms.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import type { Transaction } from "../database.js";

const AUDIT_PAGE = 1_000;

/** Replaces identifiers in the names, the search words and the filters of saved views, and in saved insights. */
export async function pseudonymiseViews(
  tx: Transaction,
  organizationId: string,
  pseudonyms: Pseudonyms,
): Promise<CleanedPage> {
  const found = new Map<number, { id: number; name: string; search: string; predicate: unknown; sort: unknown }>();
  for (const pattern of pseudonyms.patterns) {
    const { rows } = await tx.query<{ id: number; name: string; search: string; predicate: unknown; sort: unknown }>(
      `select id, name, search, predicate, sort
       from views
       where organization_id = $1 and lower(concat_ws(' ', name, search, predicate::text, sort::text)) ~ $2
       for update`,
      [organizationId, pattern],
    );
    for (const row of rows) found.set(row.id, row);
  }
  for (const { id, name, search, predicate, sort } of found.values()) {
    await tx.query(
      `update views
       set name = $3, search = $4, predicate = $5::text::jsonb, sort = $6::text::jsonb
       where organization_id = $1 and id = $2`,
      [
        organizationId,
        id,
        pseudonyms.inText(name),
        pseudonyms.inText(search),
        JSON.stringify(pseudonyms.inJson(predicate)),
        JSON.stringify(pseudonyms.inJson(sort)),
      ],
    );
  }
  const insights = await pseudonymiseInsights(tx, organizationId, pseudonyms);
  return { end: undefined, removed: found.size + insights };
}

async function pseudonymiseInsights(tx: Transaction, organizationId: string, pseudonyms: Pseudonyms): Promise<number> {
  const found = new Map<number, { id: number; name: string; question: unknown }>();
  for (const pattern of pseudonyms.patterns) {
    const { rows } = await tx.query<{ id: number; name: string; question: unknown }>(
      `select id, name, question
       from saved_insights
       where organization_id = $1 and lower(concat_ws(' ', name, question::text)) ~ $2
       for update`,
      [organizationId, pattern],
    );
    for (const row of rows) found.set(row.id, row);
  }
  for (const { id, name, question } of found.values()) {
    // Another insight may have the name that is left: the number makes it different.
    await tx.query(
      `update saved_insights
       set question = $4::text::jsonb,
           name = case
             when exists (
               select from saved_insights other
               where other.organization_id = $1 and other.id <> $2 and lower(btrim(other.name)) = lower(btrim($3))
             ) then $3 || ' ' || $2::text
             else $3
           end
       where organization_id = $1 and id = $2`,
      [organizationId, id, pseudonyms.inText(name), JSON.stringify(pseudonyms.inJson(question))],
    );
  }
  return found.size;
}

interface VersionTexts {
  segment_id: string;
  number: number;
  name: string;
  query: unknown;
  predicate: unknown;
}

/**
 * Replaces identifiers in the definitions that segments have had. The definition that a segment has now is left for people to
 * change: a query with another identifier would select somebody else.
 */
export async function pseudonymiseVersions(
  tx: Transaction,
  organizationId: string,
  pseudonyms: Pseudonyms,
): Promise<CleanedPage> {
  const found = new Map<string, VersionTexts>();
  for (const pattern of pseudonyms.patterns) {
    const { rows } = await tx.query<VersionTexts>(
      `select segment_id, number, name, query, predicate
       from segment_versions
       where organization_id = $1 and lower(concat_ws(' ', name, query::text, predicate::text)) ~ $2
       for update`,
      [organizationId, pattern],
    );
    for (const row of rows) found.set(`${row.segment_id} ${row.number}`, row);
  }
  for (const { segment_id: segmentId, number, name, query, predicate } of found.values()) {
    await tx.query(
      `update segment_versions
       set name = $4, query = $5::text::jsonb, predicate = $6::text::jsonb
       where organization_id = $1 and segment_id = $2 and number = $3`,
      [
        organizationId,
        segmentId,
        number,
        pseudonyms.inText(name),
        JSON.stringify(pseudonyms.inJson(query)),
        JSON.stringify(pseudonyms.inJson(predicate)),
      ],
    );
  }
  return { end: undefined, removed: found.size };
}

interface JobTexts {
  id: string;
  name: string;
  description: string;
  error: string | null;
  parameters: unknown;
  result: unknown;
}

/**
 * Replaces identifiers in the queries, names and results that jobs keep. An import that is still to run keeps its own: its
 * constants would otherwise become values of somebody else.
 */
export async function pseudonymiseJobs(
  tx: Transaction,
  organizationId: string,
  pseudonyms: Pseudonyms,
): Promise<CleanedPage> {
  const found = new Map<string, JobTexts>();
  for (const pattern of pseudonyms.patterns) {
    const { rows } = await tx.query<JobTexts>(
      `select id, name, description, error, parameters, result
       from jobs
       where organization_id = $1 and not (type = 'import' and status in ('scheduled', 'running'))
         and lower(concat_ws(' ', name, description, error, parameters::text, result::text)) ~ $2
       for update`,
      [organizationId, pattern],
    );
    for (const row of rows) found.set(row.id, row);
  }
  for (const { id, name, description, error, parameters, result } of found.values()) {
    await tx.query(
      `update jobs
       set name = $3, description = $4, error = $5, parameters = $6::text::jsonb, result = $7::text::jsonb
       where organization_id = $1 and id = $2`,
      [
        organizationId,
        id,
        pseudonyms.inText(name),
        pseudonyms.inText(description),
        error === null ? null : pseudonyms.inText(error),
        JSON.stringify(pseudonyms.inJson(parameters)),
        result === null ? null : JSON.stringify(pseudonyms.inJson(result)),
      ],
    );
  }
  return { end: undefined, removed: found.size };
}

interface AuditTexts {
  id: number;
  who: string;
  label: string | null;
  before: unknown;
  after: unknown;
}

/**
 * Replaces identifiers in entries of the audit log, a page at a time. No entry is deleted: who did what, and when, stays
 * known.
 */
export async function pseudonymiseAuditLog(
  tx: Transaction,
  organizationId: string,
  after: number,
  pseudonyms: Pseudonyms,
): Promise<CleanedPage> {
  const { rows } = await tx.query<AuditTexts>(
    `select id, who, label, before, after
     from audit_log
     where organization_id = $1 and id > $2
     order by id
     limit ${AUDIT_PAGE}`,
    [organizationId, after],
  );
  let changed = 0;
  for (const { id, ...entry } of rows) {
    const replaced = pseudonyms.inJson(entry) as Omit<AuditTexts, "id">;
    if (JSON.stringify(replaced) === JSON.stringify(entry)) continue;
    const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
    await tx.query(
      `update audit_log
       set who = $3, label = $4, before = $5::text::jsonb, after = $6::text::jsonb
       where organization_id = $1 and id = $2`,
      [organizationId, id, replaced.who, replaced.label, json(replaced.before), json(replaced.after)],
    );
    changed += 1;
  }
  return { end: rows.length < AUDIT_PAGE ? undefined : rows.at(-1)?.id, removed: changed };
}
