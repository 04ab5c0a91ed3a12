import mysql, { type Connection } from "mysql2";
import { explainDatabaseError } from "./explain-database-error.js";
import { BATCH_SIZE, CONNECT_TIMEOUT_MS, LAST_VALUE, QUERY_TIMEOUT_MS, type Row, type RowQuery } from "./row-query.js";

/** Connection errors and conflicts between transactions. */
const TRANSIENT_CLASSES = /^(08|40)/;

/**
 * Reads the rows of a query in batches, as the server sends them, so that a large table is never in memory as a whole.
 * The transaction is read-only and ends with the iteration.
 */
export async function* readMysqlRows({ connectionString, query, lastValue }: RowQuery): AsyncGenerator<Row[]> {
  const connection = mysql.createConnection({
    uri: connectionString,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Times stay text as the database writes them, because a JavaScript date has no microseconds.
    dateStrings: true,
    supportBigNumbers: true,
  });
  // Without a listener a lost connection would end the process. The running query fails as well, and reports it.
  connection.on("error", () => {});
  try {
    await run(connection, "set time_zone = '+00:00'");
    await run(connection, "start transaction read only");
    const values = Array.from(query.matchAll(LAST_VALUE), () => lastValue);
    // A prepared statement: the server can tell a question mark in a text from a parameter, and accepts one statement only.
    const sql = query.replace(/;\s*$/, "").replace(LAST_VALUE, "?");
    const rows = connection.execute({ sql, values, timeout: QUERY_TIMEOUT_MS }).stream({ highWaterMark: BATCH_SIZE });
    let batch: Row[] = [];
    for await (const row of rows) {
      batch.push({ ...(row as Row) });
      if (batch.length < BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw explain(error);
  } finally {
    connection.destroy();
  }
}

function run(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()));
  });
}

/** Errors of the server have an SQL state, errors of the connection have none. */
function explain(error: unknown): Error {
  return explainDatabaseError(error, (error as { sqlState?: string }).sqlState, TRANSIENT_CLASSES);
}
