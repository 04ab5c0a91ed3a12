import type { Readable, Writable } from "node:stream";
import pg from "pg";
import { from, to } from "pg-copy-streams";

/** A connection without time limits, for copies of whole tables. Call `close` when done. */
export interface CopySession {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
  /** Like `query`, because a session is open for one copy only. */
  prepared<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>>;
  /** The result of a `copy … to stdout`. The number of rows is known when the stream has ended. */
  copyOut(sql: string): Readable & { rowCount: number };
  /** The input of a `copy … from stdin`. The number of rows is known when the stream has finished. */
  copyIn(sql: string): Writable & { rowCount: number };
  /** Ends the connection at once, also in the middle of a copy. A transaction that was not committed is rolled back. */
  close(): Promise<void>;
}

export async function openCopySession(config: pg.ClientConfig, onError: (error: Error) => void): Promise<CopySession> {
  const client = new pg.Client(config);
  client.on("error", onError);
  await client.connect();
  await client.query("set statement_timeout = 0");
  await client.query("set idle_in_transaction_session_timeout = 0");
  const query = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => client.query<Row>(text, values);
  return {
    query,
    prepared: query,
    copyOut: (sql) => client.query(to(sql)),
    copyIn: (sql) => client.query(from(sql)),
    close: () => client.end(),
  };
}
