import { ConfigurationError, TransientError } from "@muster/connector";
import mysql, { type Connection } from "mysql2";
import { BATCH_SIZE, CONNECT_TIMEOUT_MS, LAST_VALUE, QUERY_TIMEOUT_MS, type Row, type RowQuery } from "./row-query.js";

/**
 * The rows of a query, in batches, as the server sends them: a large table is never in memory as a whole. The
 * transaction may only read, and ends with the iteration.
 */
export async function* readMysqlRows({ connectionString, query, lastValue }: RowQuery): AsyncGenerator<Row[]> {
  const connection = mysql.createConnection({
    uri: connectionString,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Times as the database writes them: a JavaScript date would lose their microseconds.
    dateStrings: true,
    supportBigNumbers: true,
  });
  // Without a listener a lost connection would end the process; the query that is under way fails as well.
  connection.on("error", () => {});
  try {
    await run(connection, "set time_zone = '+00:00'");
    await run(connection, "start transaction read only");
    const values = Array.from(query.matchAll(LAST_VALUE), () => lastValue);
    // Prepared, so that the server tells a question mark in a text from a parameter, and takes one statement only.
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

/** What the server refuses has an SQL state; 08 and 40 pass by themselves, and so do failures of the connection. */
function explain(error: unknown): unknown {
  const { sqlState = "", message } = error as { sqlState?: string; message: string };
  if (sqlState === "" || /^(08|40)/.test(sqlState)) {
    return new TransientError(`The database cannot be read: ${message}`, { cause: error });
  }
  return new ConfigurationError(`The database says: ${message}`, { cause: error });
}
