import type { Queryable } from "./database.js";

export interface Page {
  limit: number;
  offset: number;
}

/** The rows of a list, of which `readPage` reads one page. */
export interface Listing {
  columns: string;
  /** `TABLE where CONDITION`. */
  from: string;
  orderBy: string;
  /** The values of the placeholders in `from`. */
  values: readonly unknown[];
}

/** Reads one page of a list and counts all of its rows. */
export async function readPage<Row extends object>(
  database: Queryable,
  { columns, from, orderBy, values }: Listing,
  { limit, offset }: Page,
): Promise<{ total: number; rows: Row[] }> {
  const counted = await database.query<{ total: number }>(`select count(*) as total from ${from}`, [...values]);
  const { rows } = await database.query<Row>(
    `select ${columns} from ${from} order by ${orderBy} limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, limit, offset],
  );
  return { total: counted.rows[0]!.total, rows };
}
