import type { Queryable } from "./database.js";
import { type Page, readPage } from "./read-page.js";

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
export function listNewest<Row extends object>(
  database: Queryable,
  { table, select, where, values, time }: NewestOptions,
  page: Page,
): Promise<{ total: number; rows: Row[] }> {
  // Rows written at the same time are in one partition, where ctid tells their order: pages do not overlap.
  const orderBy = `${time} desc, written_at desc, ctid desc`;
  return readPage(database, { columns: select, from: `${table} where ${where}`, orderBy, values }, page);
}
