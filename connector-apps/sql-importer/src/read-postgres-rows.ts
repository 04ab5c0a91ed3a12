import { ConfigurationError, TransientError } from "@muster/connector";
import pg from "pg";
import { BATCH_SIZE, CONNECT_TIMEOUT_MS, LAST_VALUE, QUERY_TIMEOUT_MS, type Row, type RowQuery } from "./row-query.js";

// Times as the database writes them: a JavaScript date would lose their microseconds, and with them the place that
// an incremental import continues from.
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
 * The rows of a query, in batches, read through a cursor: a large table is never in memory as a whole. The transaction
 * may only read, and ends with the iteration.
 */
export async function* readPostgresRows({ connectionString, query, lastValue }: RowQuery): AsyncGenerator<Row[]> {
  const client = await connect(connectionString);
  try {
    await client.query("begin read only");
    await client.query(`set local statement_timeout = ${QUERY_TIMEOUT_MS}`);
    const { text, values } = bindLastValue(query, lastValue);
    // A named statement is prepared, and the server prepares one statement only: nothing can be put behind it.
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
  // Without a listener a lost connection would end the process; the query that is under way rejects as well.
  client.on("error", () => {});
  try {
    await client.connect();
    return client;
  } catch (cause) {
    await client.end();
    throw explain(cause);
  }
}

/** A value goes in as a parameter, never as text. */
function bindLastValue(query: string, lastValue: string | null): { text: string; values: (string | null)[] } {
  const text = query.replace(/;\s*$/, "").replace(LAST_VALUE, "$1");
  return { text, values: text.includes("$1") ? [lastValue] : [] };
}

/** The database's own verdicts have a code of five characters; classes 08, 53, 57 and 58 are about its state. */
function explain(error: unknown): unknown {
  const { code = "", message } = error as { code?: string; message: string };
  if (!/^[0-9A-Z]{5}$/.test(code) || /^(08|53|57P|58)/.test(code)) {
    return new TransientError(`The database cannot be read: ${message}`, { cause: error });
  }
  return new ConfigurationError(`The database says: ${message}`, { cause: error });
}
