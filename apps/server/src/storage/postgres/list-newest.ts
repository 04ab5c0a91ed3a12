import type { Queryable } from "./database.js";

export interface NewestOptions {
  /** A table that a `BatchedWriter` writes: partitioned by `written_at`, and its rows are never updated. */
  table: string;
  /** What is read of a row. */
  select: string;
  /** Which rows are listed, with the parameters of `values`. */
  where: string;
  values: readonly unknown[];
  /** The column that says when the thing happened. */
  time: string;
}

/** One page of the rows that match, the latest first, and how many match in all. */
export async function listNewest<Row extends object>(
  database: Queryable,
  { table, select, where, values, time }: NewestOptions,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; rows: Row[] }> {
  const counted = await database.query<{ total: number }>(`select count(*) as total from ${table} where ${where}`, [
    ...values,
  ]);
  // Rows written at the same time are in one partition, where ctid tells their order: pages do not overlap.
  const { rows } = await database.query<Row>(
    `select ${select}
     from ${table}
     where ${where}
     order by ${time} desc, written_at desc, ctid desc
     limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, limit, offset],
  );
  return { total: counted.rows[0]!.total, rows };
}
