import type { Queryable } from "./database.js";

/** The time in milliseconds and the id of a row. Rows are in the order of their times, the latest first, then of their ids. */
export type WindowCursor = readonly [at: number, id: string];

/** The next rows of a list that is ordered by time. */
export interface Window {
  limit: number;
  /** Only rows that come after this one in the list. */
  cursor?: WindowCursor | undefined;
  /** Only rows later than this time, in milliseconds. */
  after?: number | undefined;
}

// In the year 5138.
const FURTHEST_MS = 1e14;

export interface WindowedTable {
  /** What is read of a row. */
  columns: string;
  /** The table and conditions that are joined by `and`, with the parameters of `values`. */
  from: string;
  values: readonly unknown[];
  /** The column that says when the thing happened. */
  time: string;
  /** An expression that differs for each row. */
  id: string;
}

export type WindowRow<Row> = Row & { row_at: number; row_id: string };

/** Rows of a table in the order of time, the latest first. Times are compared in milliseconds, as clients see them. */
export async function readWindow<Row extends object>(
  database: Queryable,
  { columns, from, values, time, id }: WindowedTable,
  { limit, cursor, after }: Window,
): Promise<WindowRow<Row>[]> {
  const place = values.length;
  const { rows } = await database.query<WindowRow<Row>>(
    `select *
     from (
       select ${columns}, floor(extract(epoch from ${time}) * 1000)::bigint as row_at, ${id} as row_id
       from ${from}
         -- The same as below, to the second. PostgreSQL skips the partitions of other days, and computes less.
         and ($${place + 5}::timestamptz is null or ${time} <= $${place + 5})
         and ($${place + 6}::timestamptz is null or ${time} >= $${place + 6})
     ) listed
     where ($${place + 1}::bigint is null or row_at < $${place + 1}
         or (row_at = $${place + 1} and row_id collate "C" > $${place + 2}::text))
       and ($${place + 3}::bigint is null or row_at > $${place + 3})
     order by row_at desc, row_id collate "C"
     limit $${place + 4}`,
    [
      ...values,
      cursor?.[0] ?? null,
      cursor?.[1] ?? null,
      after ?? null,
      limit,
      dateOf(cursor && cursor[0] + 1_000),
      dateOf(after),
    ],
  );
  return rows;
}

/** A time that a client has sent, if it can be one of a row. */
function dateOf(ms: number | undefined): Date | null {
  return ms === undefined || Math.abs(ms) > FURTHEST_MS ? null : new Date(ms);
}
