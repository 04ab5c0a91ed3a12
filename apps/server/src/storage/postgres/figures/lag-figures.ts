import type { Queryable } from "../database.js";

/** `apply` is from the acceptance of a record, `search` from its application, `delivery` from the queueing of a message. */
export const LAG_STAGES = ["apply", "search", "delivery"] as const;
export type LagStage = (typeof LAG_STAGES)[number];

/** How many records of an organization took about as long in a stage, within a minute. */
export interface LagCount {
  organizationId: string;
  stage: LagStage;
  /** The start of the minute. */
  at: Date;
  bucket: number;
  records: number;
}

/** Adds to what is stored. The counts must be of different organizations, stages, minutes or buckets. */
export async function addLags(database: Queryable, counts: readonly LagCount[]): Promise<void> {
  await database.query(
    `insert into lag_figures as f (organization_id, stage, at, bucket, records)
     select *
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::smallint[], $5::bigint[])
       as c (organization_id, stage, at, bucket, records)
     order by 1, 2, 3, 4
     on conflict (organization_id, stage, at, bucket) do update
     set records = f.records + excluded.records`,
    [
      counts.map(({ organizationId }) => organizationId),
      counts.map(({ stage }) => stage),
      counts.map(({ at }) => at),
      counts.map(({ bucket }) => bucket),
      counts.map(({ records }) => records),
    ],
  );
}

/** How many records took how long in each stage, in the minutes from `since` on. */
export async function readLags(
  database: Queryable,
  organizationId: string,
  since: Date,
): Promise<Pick<LagCount, "stage" | "bucket" | "records">[]> {
  const { rows } = await database.query<{ stage: LagStage; bucket: number; records: string }>(
    `select stage, bucket, sum(records) as records
     from lag_figures
     where organization_id = $1 and at >= $2
     group by stage, bucket`,
    [organizationId, since],
  );
  return rows.map(({ records, ...row }) => ({ ...row, records: Number(records) }));
}
