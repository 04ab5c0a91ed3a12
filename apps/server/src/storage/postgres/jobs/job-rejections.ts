import type { Queryable } from "../database.js";
import { replaceNul } from "../replace-nul.js";

/** A line of an import file that was rejected, as a whole or in part. */
export interface RejectedLine {
  line: number;
  code: string;
  message: string;
}

/** Stores lines that are not a record. Storing the same line again changes nothing. */
export async function saveRejectedLines(
  database: Queryable,
  organizationId: string,
  jobId: string,
  rejected: readonly RejectedLine[],
): Promise<void> {
  if (rejected.length === 0) return;
  await database.query(
    `insert into job_rejections (organization_id, job_id, line, code, message)
     select $1, $2, line, code, message
     from unnest($3::bigint[], $4::text[], $5::text[]) as r (line, code, message)
     on conflict do nothing`,
    [
      organizationId,
      jobId,
      rejected.map(({ line }) => line),
      rejected.map(({ code }) => code),
      rejected.map(({ message }) => replaceNul(message)),
    ],
  );
}

// The lines that are not a record, and the entries that could not be applied. A line may be rejected for several reasons.
const ALL_REJECTED = `
  select line, code, message
  from job_rejections
  where organization_id = $1 and job_id = $2
  union all
  select line, code, message
  from rejected_entries
  where organization_id = $1 and job_id = $2`;

/** How many lines were rejected, as a whole or in part. */
export async function countRejectedLines(database: Queryable, organizationId: string, jobId: string): Promise<number> {
  const { rows } = await database.query<{ lines: number }>(
    `select count(distinct line) as lines from (${ALL_REJECTED}) rejected`,
    [organizationId, jobId],
  );
  return rows[0]!.lines;
}

/** A reason for which lines were rejected. */
export interface RejectionReason {
  code: string;
  message: string;
  rows: number;
  first_line: number;
}

const SHOWN_REASONS = 20;

/** The reasons for which lines of an import were rejected, the most frequent first. */
export async function readRejectionReasons(
  database: Queryable,
  organizationId: string,
  jobId: string,
): Promise<RejectionReason[]> {
  const { rows } = await database.query<RejectionReason>(
    `select code, message, count(distinct line) as rows, min(line) as first_line
     from (${ALL_REJECTED}) rejected
     group by code, message
     order by rows desc, first_line
     limit ${SHOWN_REASONS}`,
    [organizationId, jobId],
  );
  return rows;
}

const LINES_PER_PAGE = 5_000;

/** All rejections in the order of the file, page by page. */
export async function* readRejectedLines(
  database: Queryable,
  organizationId: string,
  jobId: string,
): AsyncGenerator<RejectedLine[]> {
  for (let after = 0; ; ) {
    // A page has whole lines: all rejections of a line are on the same page.
    const { rows } = await database.query<RejectedLine>(
      `with rejected as (${ALL_REJECTED}),
       page as (select distinct line from rejected where line > $3 order by line limit ${LINES_PER_PAGE})
       select line, code, message
       from rejected
       where line in (select line from page)
       order by line, code, message`,
      [organizationId, jobId, after],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.line;
  }
}
