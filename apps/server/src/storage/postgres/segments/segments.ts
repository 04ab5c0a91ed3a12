import { createId, type SubjectType } from "@muster/protocol";
import type { Queryable, Transaction } from "../database.js";

export interface Segment {
  id: string;
  subjectType: SubjectType;
  name: string;
  query: Record<string, unknown>;
  predicate: Record<string, unknown>;
  changesWithTime: boolean;
  revision: number;
  evaluatedRevision: number;
  /** When it was evaluated for all subjects last, or when that was tried, if there is a problem. */
  evaluatedAt: Date | null;
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
  changes_with_time: boolean;
  revision: number;
  evaluated_revision: number;
  evaluated_at: Date | null;
  problem: string | null;
  problem_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS =
  "id, subject_type, name, query, predicate, changes_with_time, revision, evaluated_revision, evaluated_at, problem, problem_since, created_at, updated_at";

export interface SegmentDefinition {
  name: string;
  query: Record<string, unknown>;
  predicate: Record<string, unknown>;
  changesWithTime: boolean;
}

export async function createSegment(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  definition: SegmentDefinition,
): Promise<Segment> {
  const { rows } = await database.query<SegmentRow>(
    `insert into segments (organization_id, id, subject_type, name, query, predicate, changes_with_time)
     values ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb, $7)
     returning ${COLUMNS}`,
    [
      organizationId,
      createId(subjectType === "user" ? "users_segment" : "accounts_segment"),
      subjectType,
      definition.name,
      JSON.stringify(definition.query),
      JSON.stringify(definition.predicate),
      definition.changesWithTime,
    ],
  );
  return fromRow(rows[0]!);
}

/** Stores an edit. A changed query increases the revision, so that all subjects are evaluated again. */
export async function updateSegment(
  database: Queryable,
  organizationId: string,
  id: string,
  definition: SegmentDefinition,
): Promise<Segment | undefined> {
  const { rows } = await database.query<SegmentRow>(
    `update segments
     set revision = revision + (query is distinct from $4::text::jsonb)::integer,
         problem = case when query is distinct from $4::text::jsonb then null else problem end,
         problem_since = case when query is distinct from $4::text::jsonb then null else problem_since end,
         name = $3, query = $4::text::jsonb, predicate = $5::text::jsonb, changes_with_time = $6, updated_at = now()
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [
      organizationId,
      id,
      definition.name,
      JSON.stringify(definition.query),
      JSON.stringify(definition.predicate),
      definition.changesWithTime,
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

/** Records that all subjects were evaluated for these segments, at their given revisions. */
export async function markEvaluated(
  database: Queryable,
  organizationId: string,
  segments: readonly Segment[],
): Promise<void> {
  await database.query(
    `update segments s
     set evaluated_revision = r.revision, evaluated_at = now(), problem = null, problem_since = null
     from unnest($2::text[], $3::integer[]) as r (id, revision)
     where s.organization_id = $1 and s.id = r.id`,
    [organizationId, segments.map(({ id }) => id), segments.map(({ revision }) => revision)],
  );
}

/** Stores why segments cannot be evaluated, unless they were edited since. */
export async function markBroken(
  tx: Transaction,
  organizationId: string,
  broken: readonly { id: string; revision: number; problem: string }[],
): Promise<void> {
  await tx.query(
    `update segments s
     set problem = b.problem, problem_since = coalesce(s.problem_since, now()), evaluated_at = now()
     from unnest($2::text[], $3::integer[], $4::text[]) as b (id, revision, problem)
     where s.organization_id = $1 and s.id = b.id and s.revision = b.revision`,
    [
      organizationId,
      broken.map(({ id }) => id),
      broken.map(({ revision }) => revision),
      broken.map(({ problem }) => problem),
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

export interface DeletedSegment {
  id: string;
  subjectType: SubjectType;
  name: string;
}

export async function listDeletedSegments(database: Queryable, organizationId: string): Promise<DeletedSegment[]> {
  const { rows } = await database.query<{ id: string; subject_type: SubjectType; name: string }>(
    "select id, subject_type, name from deleted_segments where organization_id = $1 order by id",
    [organizationId],
  );
  return rows.map(({ id, subject_type, name }) => ({ id, subjectType: subject_type, name }));
}

export async function forgetDeletedSegment(database: Queryable, organizationId: string, id: string): Promise<void> {
  await database.query("delete from deleted_segments where organization_id = $1 and id = $2", [organizationId, id]);
}

/**
 * Organizations with segments that must be evaluated for all subjects: edited, deleted, or changed by time. Broken ones
 * are tried again after `retrySeconds`. A time in the future was noted while a clock was ahead.
 */
export async function organizationsToSweep(
  database: Queryable,
  { sweepSeconds, retrySeconds }: { sweepSeconds: number; retrySeconds: number },
): Promise<string[]> {
  const { rows } = await database.query<{ organization_id: string }>(
    `select organization_id
     from segments
     join organizations o on o.id = organization_id and o.enabled
     cross join lateral (
       select abs(extract(epoch from now() - coalesce(evaluated_at, '-infinity'))) as seconds
     ) age
     where case
       when problem is not null then age.seconds >= $2
       else evaluated_revision < revision or (changes_with_time and age.seconds >= $1)
     end
     union
     select organization_id
     from deleted_segments
     join organizations o on o.id = organization_id and o.enabled`,
    [sweepSeconds, retrySeconds],
  );
  return rows.map(({ organization_id }) => organization_id);
}

function fromRow(row: SegmentRow): Segment {
  return {
    id: row.id,
    subjectType: row.subject_type,
    name: row.name,
    query: row.query,
    predicate: row.predicate,
    changesWithTime: row.changes_with_time,
    revision: row.revision,
    evaluatedRevision: row.evaluated_revision,
    evaluatedAt: row.evaluated_at,
    problem: row.problem,
    problemSince: row.problem_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
