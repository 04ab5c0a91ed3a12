import pg from "pg";
import { explainDatabaseError } from "./explain-database-error.js";
import { BATCH_SIZE, CONNECT_TIMEOUT_MS, LAST_VALUE, QUERY_TIMEOUT_MS, type Row, type RowQuery } from "./row-query.js";

/** Connection errors, missing resources, shutdown, and errors of the system. */
const TRANSIENT_CLASSES = /^(08|53|57P|58)/;

// Times stay text as the database writes them: a JavaScript date has no microseconds, and an incremental import would
// continue from the wrong row.
const TIME_TYPES = new Set<number>([
  pg.types.builtins.TIMESTAMP,
  pg.types.builtins.TIMESTAMPTZ,
  pg.types.builtins.DATE,
]);
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") =>
    TIME_TYPES.has(oid) ? String : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/**
 * Reads the rows of a query in batches through a cursor, so that a large table is never in memory as a whole. The
 * transaction is read-only and ends with the iteration.
 */
export async function* readPostgresRows({ connectionString, query, lastValue }: RowQuery): AsyncGenerator<Row[]> {
  const client = await connect(connectionString);
  try {
    await client.query("begin read only");
    await client.query(`set local statement_timeout = ${QUERY_TIMEOUT_MS}`);
    const { text, values } = bindLastValue(query, lastValue);
    // The server prepares a named statement, and it prepares one statement only: the query cannot add a second one.
    await client.query({ name: "rows", text: `declare rows no scroll cursor for ${text}\n`, values });
    while (true) {
      const { rows } = await client.query<Row>(`fetch ${BATCH_SIZE} from rows`);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH_SIZE) return;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    types: TYPES,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "muster sql importer",
    options: "-c timezone=UTC -c datestyle=ISO",
  });
  // Without a listener a lost connection would end the process. The running query rejects as well, and reports it.
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (cause) {
    await client.end();
    throw explain(cause);
  }
}

/** The last value is a parameter of the statement, never part of its text. */
function bindLastValue(query: string, lastValue: string | null): { text: string; values: (string | null)[] } {
  const text = query.replace(/;\s*$/, "").replace(LAST_VALUE, "$1");
  return { text, values: text.includes("$1") ? [lastValue] : [] };
}

/** Errors of the server have an SQL state as their code, errors of the connection have another code or none. */
function explain(error: unknown): Error {
  const { code = "" } = error as { code?: string };
  return explainDatabaseError(error, /^[0-9A-Z]{5}$/.test(code) ? code : undefined, TRANSIENT_CLASSES);
}
