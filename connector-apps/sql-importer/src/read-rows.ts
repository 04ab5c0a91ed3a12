import { readMysqlRows } from "./read-mysql-rows.js";
import { readPostgresRows } from "./read-postgres-rows.js";
import type { Row, RowQuery } from "./row-query.js";

/** The rows of a query, in batches, from the database that the address is of. */
export function readRows(query: RowQuery): AsyncGenerator<Row[]> {
  return query.connectionString.startsWith("mysql:") ? readMysqlRows(query) : readPostgresRows(query);
}
