import type { Queryable, Transaction } from "../database.js";
import { type Page, readPage } from "../read-page.js";
import type { Segment } from "./segments.js";

/** A definition that a segment has had. */
export interface SegmentVersion {
  number: number;
  name: string;
  query: Record<string, unknown>;
  predicate: Record<string, unknown>;
  /** Null when nobody knows who saved it. */
  who: string | null;
  /** The version that was restored by saving this one. */
  restored: number | null;
  savedAt: Date;
}

interface VersionRow extends Omit<SegmentVersion, "savedAt"> {
  saved_at: Date;
}

/** The versions of one segment that are kept. */
export const MAX_VERSIONS = 200;

const COLUMNS = "number, name, query, predicate, who, restored, saved_at";

export interface VersionNote {
  who: string;
  restored?: number | undefined;
}

/**
 * Keeps the definition that a segment has now, unless it is that of its newest version, and removes the oldest versions
 * when there are too many. The row of the segment must be locked, so that no number is given twice.
 */
export async function keepVersion(
  tx: Transaction,
  organizationId: string,
  { id, name, query, predicate }: Pick<Segment, "id" | "name" | "query" | "predicate">,
  { who, restored }: VersionNote,
): Promise<void> {
  await tx.query(
    `insert into segment_versions (organization_id, segment_id, number, name, query, predicate, who, restored)
     select $1, $2, coalesce(last.number, 0) + 1, $3, $4::text::jsonb, $5::text::jsonb, $6, $7
     from (select) as one
     left join lateral (
       select number, name, query, predicate
       from segment_versions
       where organization_id = $1 and segment_id = $2
       order by number desc
       limit 1
     ) last on true
     where (last.name, last.query, last.predicate) is distinct from ($3, $4::text::jsonb, $5::text::jsonb)`,
    [organizationId, id, name, JSON.stringify(query), JSON.stringify(predicate), who, restored ?? null],
  );
  await tx.query(
    `delete from segment_versions
     where organization_id = $1 and segment_id = $2
       and number <= (
         select max(number) from segment_versions where organization_id = $1 and segment_id = $2
       ) - ${MAX_VERSIONS}`,
    [organizationId, id],
  );
}

/** One page of the versions of a segment, the newest first. */
export async function listVersions(
  database: Queryable,
  organizationId: string,
  segmentId: string,
  page: Page,
): Promise<{ total: number; versions: SegmentVersion[] }> {
  const { total, rows } = await readPage<VersionRow>(
    database,
    {
      columns: COLUMNS,
      from: "segment_versions where organization_id = $1 and segment_id = $2",
      orderBy: "number desc",
      values: [organizationId, segmentId],
    },
    page,
  );
  return { total, versions: rows.map(fromRow) };
}

export async function findVersion(
  database: Queryable,
  organizationId: string,
  segmentId: string,
  number: number,
): Promise<SegmentVersion | undefined> {
  const { rows } = await database.query<VersionRow>(
    `select ${COLUMNS} from segment_versions where organization_id = $1 and segment_id = $2 and number = $3`,
    [organizationId, segmentId, number],
  );
  return rows[0] && fromRow(rows[0]);
}

function fromRow({ saved_at, ...row }: VersionRow): SegmentVersion {
  return { ...row, savedAt: saved_at };
}

/** The number of the version that a segment had at a moment; undefined before the first one that is kept. */
export async function findVersionAt(
  database: Queryable,
  organizationId: string,
  segmentId: string,
  moment: Date,
): Promise<number | undefined> {
  const { rows } = await database.query<{ number: number }>(
    `select number
     from segment_versions
     where organization_id = $1 and segment_id = $2 and saved_at <= $3
     order by number desc
     limit 1`,
    [organizationId, segmentId, moment],
  );
  return rows[0]?.number;
}
