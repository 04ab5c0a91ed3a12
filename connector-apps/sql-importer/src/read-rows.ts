import { readMysqlRows } from "./read-mysql-rows.js";
import { readPostgresRows } from "./read-postgres-rows.js";
import type { Row, RowQuery } from "./row-query.js";

/** Reads the rows of a query in batches. The scheme of the address says which kind of database it is. */
export function readRows(query: RowQuery): AsyncGenerator<Row[]> {
  return query.connectionString.startsWith("mysql:") ? readMysqlRows(query) : readPostgresRows(query);
}
