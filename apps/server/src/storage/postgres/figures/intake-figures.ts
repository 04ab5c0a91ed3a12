import type { Queryable } from "../database.js";

/** The length of the intervals in which accepted entries are counted. */
export const INTAKE_INTERVAL_MS = 10_000;

/** How many entries were accepted in each interval since `from`. Intervals without any are left out. */
export async function readIntake(
  database: Queryable,
  organizationId: string,
  from: Date,
): Promise<{ at: Date; entries: number }[]> {
  const { rows } = await database.query<{ at: Date; entries: number }>(
    `select at, entries
     from intake_figures
     where organization_id = $1 and at >= $2
     order by at`,
    [organizationId, from],
  );
  return rows;
}

/** Whether anything was ever accepted. */
export async function hasIntake(database: Queryable, organizationId: string): Promise<boolean> {
  const { rowCount } = await database.query(
    "select from log_heads where organization_id = $1 and entries > 0 limit 1",
    [organizationId],
  );
  return rowCount === 1;
}
