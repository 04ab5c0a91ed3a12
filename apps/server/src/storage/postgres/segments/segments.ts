import { createId, type SubjectType } from "@muster/protocol";
import type { Queryable, Transaction } from "../database.js";

export interface Segment {
  id: string;
  subjectType: SubjectType;
  name: string;
  query: Record<string, unknown>;
  predicate: Record<string, unknown>;
  description: string;
  tags: string[];
  /** Empty: it is in none. */
  folder: string;
  changesWithTime: boolean;
  revision: number;
  evaluatedRevision: number;
  /** When it was evaluated for all subjects last, or when that was tried, if there is a problem. */
  evaluatedAt: Date | null;
  /** Since when all subjects are to be compared with it again, although its query is the same. */
  scanRequestedAt: Date | null;
  /** Why it cannot be evaluated, and since when. */
  problem: string | null;
  problemSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

interface SegmentRow {
  id: string;
  subject_type: SubjectType;
  name: string;
  query: Record<string, unknown>;
  predicate: Record<string, unknown>;
  description: string;
  tags: string[];
  folder: string;
  changes_with_time: boolean;
  revision: number;
  evaluated_revision: number;
  evaluated_at: Date | null;
  scan_requested_at: Date | null;
  problem: string | null;
  problem_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS =
  "id, subject_type, name, query, predicate, description, tags, folder, changes_with_time, revision, evaluated_revision, evaluated_at, scan_requested_at, problem, problem_since, created_at, updated_at";

export type SegmentDefinition = Pick<Segment, "name" | "query" | "predicate" | "changesWithTime">;

/** What people note about a segment. */
export type SegmentNotes = Pick<Segment, "description" | "tags" | "folder">;

/** How many segments an organization has, and how many bytes the texts of their definitions take. */
export interface SegmentVolume {
  count: number;
  bytes: number;
}

/** Others that want to create a segment wait until the transaction ends. */
export async function lockSegments(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query("select from organizations where id = $1 for no key update", [organizationId]);
}

/** The volume of all segments but one. */
export async function measureSegments(
  database: Queryable,
  organizationId: string,
  exceptId?: string,
): Promise<SegmentVolume> {
  const { rows } = await database.query<SegmentVolume>(
    `select
       count(*)::integer as count,
       coalesce(sum(octet_length(query::text) + octet_length(predicate::text)), 0)::float8 as bytes
     from segments
     where organization_id = $1 and id is distinct from $2`,
    [organizationId, exceptId ?? null],
  );
  return rows[0]!;
}

export async function createSegment(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  definition: SegmentDefinition & Partial<SegmentNotes>,
): Promise<Segment> {
  const { rows } = await database.query<SegmentRow>(
    `insert into segments (organization_id, id, subject_type, name, query, predicate, changes_with_time, description, tags, folder)
     values ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7, $8, $9, $10)
     returning ${COLUMNS}`,
    [
      organizationId,
      createId(subjectType === "user" ? "users_segment" : "accounts_segment"),
      subjectType,
      definition.name,
      JSON.stringify(definition.query),
      JSON.stringify(definition.predicate),
      definition.changesWithTime,
      definition.description ?? "",
      definition.tags ?? [],
      definition.folder ?? "",
    ],
  );
  return fromRow(rows[0]!);
}

/** Another segment that has a name already, whatever the case of its letters. */
export async function findNamesake(
  database: Queryable,
  organizationId: string,
  name: string,
  exceptId?: string,
): Promise<Pick<Segment, "id" | "name"> | undefined> {
  const { rows } = await database.query<{ id: string; name: string }>(
    `select id, name
     from segments
     where organization_id = $1 and lower(btrim(name)) = lower(btrim($2)) and id is distinct from $3
     order by id
     limit 1`,
    [organizationId, name, exceptId ?? null],
  );
  return rows[0];
}

/** Stores an edit. A changed query increases the revision, so that all subjects are evaluated again. */
export async function updateSegment(
  database: Queryable,
  organizationId: string,
  id: string,
  definition: SegmentDefinition & Partial<SegmentNotes>,
): Promise<Segment | undefined> {
  const { rows } = await database.query<SegmentRow>(
    `update segments
     set revision = revision + (query is distinct from $4::text::jsonb)::integer,
         problem = case when query is distinct from $4::text::jsonb then null else problem end,
         problem_since = case when query is distinct from $4::text::jsonb then null else problem_since end,
         shares_name = shares_name and name = $3,
         name = $3, query = $4::text::jsonb, predicate = $5::text::jsonb, changes_with_time = $6,
         description = coalesce($7, description), tags = coalesce($8::text[], tags), folder = coalesce($9, folder),
         updated_at = now()
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [
      organizationId,
      id,
      definition.name,
      JSON.stringify(definition.query),
      JSON.stringify(definition.predicate),
      definition.changesWithTime,
      definition.description ?? null,
      definition.tags ?? null,
      definition.folder ?? null,
    ],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Removes a segment, and lists it in `deleted_segments` until its members have left. */
export async function removeSegment(database: Queryable, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `with gone as (
       delete from segments where organization_id = $1 and id = $2 returning organization_id, id, subject_type, name
     )
     insert into deleted_segments (organization_id, id, subject_type, name)
     select organization_id, id, subject_type, name from gone`,
    [organizationId, id],
  );
  return rowCount === 1;
}

export async function listSegments(
  database: Queryable,
  organizationId: string,
  subjectType?: SubjectType,
): Promise<Segment[]> {
  const { rows } = await database.query<SegmentRow>(
    `select ${COLUMNS}
     from segments
     where organization_id = $1 and ($2::text is null or subject_type = $2)
     order by id`,
    [organizationId, subjectType ?? null],
  );
  return rows.map(fromRow);
}

/** The segments of an organization, and the revision at which they are so. */
export async function readSegments(
  database: Queryable,
  organizationId: string,
): Promise<{ revision: string | undefined; segments: Segment[] }> {
  const { rows } = await database.query<SegmentRow & { segments_revision: string | null }>(
    // One statement, so that the revision is that of the rows.
    `select o.segments_revision, ${COLUMNS}
     from (select (select segments_revision from organizations where id = $1)) o
     left join segments on organization_id = $1
     order by id`,
    [organizationId],
  );
  const segments = rows.filter(({ id }) => id !== null).map(fromRow);
  return { revision: rows[0]?.segments_revision ?? undefined, segments };
}

export async function findSegment(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<Segment | undefined> {
  const { rows } = await database.query<SegmentRow>(
    `select ${COLUMNS} from segments where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Why all subjects must be compared with a segment, or all whom time can have moved. */
export type DueReason = "broken" | "edited" | "requested" | "time";

export interface DueSegment extends Segment {
  reason: DueReason;
}

/** How long evaluations hold. */
export interface SweepPeriods {
  /** Segments that change with time are evaluated this often. */
  sweepSeconds: number;
  /** Segments that cannot be evaluated are tried again this often. */
  retrySeconds: number;
}

/** Why a segment is due and since when, at the time $1. A time in the future was noted while a clock was ahead. */
const DUE = `
  cross join lateral (
    select
      case
        when problem is not null then 'broken'
        when evaluated_revision < revision or evaluated_at is null then 'edited'
        when scan_requested_at is not null then 'requested'
        when changes_with_time then 'time'
      end as reason
  ) why
  cross join lateral (
    select
      case
        when reason = 'edited' then '-infinity'::timestamptz
        when evaluated_at > $1::timestamptz then '-infinity'::timestamptz
        when reason = 'requested' then scan_requested_at
        when reason = 'time' then evaluated_at + $2 * interval '1 second'
        when reason = 'broken' then evaluated_at + $3 * interval '1 second'
      end as due_at
  ) since`;

/** The segments that must be evaluated at a time: new and edited ones, then those that have waited longest. */
export async function listDueSegments(
  database: Queryable,
  organizationId: string,
  now: Date,
  { sweepSeconds, retrySeconds }: SweepPeriods,
  limit: number,
): Promise<DueSegment[]> {
  const { rows } = await database.query<SegmentRow & { reason: DueReason }>(
    `select ${COLUMNS}, reason
     from segments ${DUE}
     where organization_id = $4 and due_at <= $1
     order by due_at, updated_at, id
     limit $5`,
    [now, sweepSeconds, retrySeconds, organizationId, limit],
  );
  return rows.map((row) => ({ ...fromRow(row), reason: row.reason }));
}

/**
 * Records that all subjects were evaluated for these segments, at their given revisions and as they were at a time. The
 * segments are as the evaluation read them: a problem that was found since, with a newer type of an attribute, stays.
 */
export async function markEvaluated(
  database: Queryable,
  organizationId: string,
  segments: readonly Pick<Segment, "id" | "revision" | "problem">[],
  at: Date,
): Promise<void> {
  await database.query(
    `update segments s
     set evaluated_revision = r.revision, evaluated_at = $4, problem = null, problem_since = null,
         scan_requested_at = case when scan_requested_at > $4 then scan_requested_at end
     from unnest($2::text[], $3::integer[], $5::boolean[]) as r (id, revision, had_problem)
     where s.organization_id = $1 and s.id = r.id and (s.problem is null or r.had_problem)`,
    [
      organizationId,
      segments.map(({ id }) => id),
      segments.map(({ revision }) => revision),
      at,
      segments.map(({ problem }) => problem !== null),
    ],
  );
}

/** Makes the next sweeps compare all subjects with segments. */
export async function requestScans(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update segments
     set scan_requested_at = greatest(scan_requested_at, $3)
     where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids, at],
  );
}

/** Stores why segments cannot be evaluated, unless they were edited since. */
export async function markBroken(
  tx: Transaction,
  organizationId: string,
  broken: readonly { id: string; revision: number; problem: string }[],
  at: Date,
): Promise<void> {
  await tx.query(
    `update segments s
     set problem = b.problem, problem_since = coalesce(s.problem_since, now()), evaluated_at = $5
     from unnest($2::text[], $3::integer[], $4::text[]) as b (id, revision, problem)
     where s.organization_id = $1 and s.id = b.id and s.revision = b.revision`,
    [
      organizationId,
      broken.map(({ id }) => id),
      broken.map(({ revision }) => revision),
      broken.map(({ problem }) => problem),
      at,
    ],
  );
}

/** The segments of an organization that cannot be evaluated. */
export async function listBrokenSegments(database: Queryable, organizationId: string): Promise<Segment[]> {
  const { rows } = await database.query<SegmentRow>(
    `select ${COLUMNS} from segments where organization_id = $1 and problem is not null order by id`,
    [organizationId],
  );
  return rows.map(fromRow);
}

/** Organizations with segments that must be evaluated at a time, or with deleted ones that have members. */
export async function organizationsToSweep(
  database: Queryable,
  now: Date,
  { sweepSeconds, retrySeconds }: SweepPeriods,
): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    `select organization_id
     from segments ${DUE}
     join organizations o on o.id = organization_id and o.enabled
     where due_at <= $1
     union
     select organization_id
     from deleted_segments
     join organizations o on o.id = organization_id and o.enabled`,
    [now, sweepSeconds, retrySeconds],
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** Since when the segment of each organization that has waited longest must be evaluated. */
export async function readSegmentDelays(
  database: Queryable,
  now: Date,
): Promise<{ organizationId: string; staleSince: Date }[]> {
  const { rows } = await database.query<{ organization_id: string; stale_since: Date }>(
    `select organization_id, min(stale_since) as stale_since
     from (
       select
         organization_id,
         case
           when evaluated_revision < revision or evaluated_at is null then updated_at
           when scan_requested_at is not null then scan_requested_at
           when changes_with_time then evaluated_at
         end as stale_since
       from segments
       where problem is null
     ) each
     where stale_since <= $1
     group by organization_id`,
    [now],
  );
  return rows.map(({ organization_id, stale_since }) => ({ organizationId: organization_id, staleSince: stale_since }));
}

function fromRow(row: SegmentRow): Segment {
  return {
    id: row.id,
    subjectType: row.subject_type,
    name: row.name,
    query: row.query,
    predicate: row.predicate,
    description: row.description,
    tags: row.tags,
    folder: row.folder,
    changesWithTime: row.changes_with_time,
    revision: row.revision,
    evaluatedRevision: row.evaluated_revision,
    evaluatedAt: row.evaluated_at,
    scanRequestedAt: row.scan_requested_at,
    problem: row.problem,
    problemSince: row.problem_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
