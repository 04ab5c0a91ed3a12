import { once } from "node:events";
import pg from "pg";

/** Runs statements, on any connection of the pool or on that of a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

/**
 * A transaction. Functions that must run in one take this type, so that the pool cannot be passed by mistake. Statements
 * run in the order of the calls. Those that are called together (`Promise.all`) are sent in one round trip.
 */
export interface Transaction extends Queryable {
  readonly isTransaction: true;
}

/** A connection for a single user. Call `close` when done. */
export interface Session extends Queryable {
  close(): Promise<void>;
}

export interface Database extends Queryable {
  /** Runs a statement whose text is a constant. It is planned once per connection, and is a transaction by itself. */
  prepared<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>>;
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** Calls `onMessage` for each notification on `channel` until the database is closed. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<void>;
  /** Opens a separate connection, for things that end with their connection, such as advisory locks. */
  openSession(onLost: () => void): Promise<Session>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  slowQueryMs: number;
  onSlowQuery(sql: string, durationMs: number): void;
  onError(error: Error): void;
  maxConnections?: number;
}

// How long a close waits for its connections to end. A server that is gone never confirms it.
const DISCONNECT_MS = 5_000;

// bigint columns hold positions and counters that stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const statementNames = new Map<string, string>();

/**
 * Statements of transactions are prepared once per connection: a micro-batch runs about twenty of them, and while batches
 * are small, planning a statement takes longer than running it. Their texts are constants, so this map stays small.
 */
function statementName(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = `s${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 12,
    application_name: "muster",
    options: "-c timezone=UTC",
    // Statements that do not wait for each other are sent together and cost one round trip.
    pipeline: true,
  });
  let isClosed = false;
  const report = (error: Error) => {
    // A server that stops at the same time may end a connection before we have closed it.
    if (isClosed) return;
    // The pool attaches the client with its whole state to the error, which must not be logged.
    Reflect.deleteProperty(error, "client");
    options.onError(error);
  };
  // On each client: the pool listens only to idle ones, and an error event without a listener ends the process.
  const connected = new Set<pg.PoolClient>();
  pool.on("connect", (client) => connected.add(client.on("error", report)));
  pool.on("remove", (client) => connected.delete(client));
  // The pool repeats the errors of idle clients, which are reported already.
  pool.on("error", () => {});
  const listeners: pg.Client[] = [];

  const timed = async <Result>(text: string, work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    try {
      return await work;
    } catch (error) {
      hideRowValues(error);
      throw error;
    } finally {
      const durationMs = performance.now() - startedAt;
      if (durationMs > options.slowQueryMs) options.onSlowQuery(text, Math.round(durationMs));
    }
  };

  return {
    query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      timed(text, pool.query<Row>(text, values)),
    prepared: <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
      timed(text, pool.query<Row>({ name: statementName(text), text, values })),
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      let cause: unknown;
      const run = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => {
        try {
          return await timed(text, client.query<Row>(values ? { name: statementName(text), text, values } : { text }));
        } catch (error) {
          // Statements after the failed one fail too, with an error that does not tell the cause.
          if (!isConsequence(error)) cause = error;
          throw cause ?? error;
        }
      };
      try {
        const begun = client.query("begin");
        const working = work({ isTransaction: true, query: run });
        const [result] = await Promise.all([working, begun]);
        const { command } = await client.query("commit");
        // A commit after a failed statement rolls back without an error. The caller must know that nothing was written.
        if (command !== "COMMIT") throw cause ?? new Error("The transaction was rolled back.");
        return result;
      } catch (error) {
        await client.query("rollback").catch((rollbackError: Error) => {
          broken = rollbackError;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async listen(channel, onMessage) {
      const client = new pg.Client({ connectionString: options.url, application_name: "muster-listen" });
      client.on("error", report);
      client.on("notification", ({ payload }) => onMessage(payload ?? ""));
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      listeners.push(client);
    },
    async openSession(onLost) {
      const client = new pg.Client({ connectionString: options.url, application_name: "muster-session" });
      let isClosing = false;
      client.on("error", report);
      client.on("end", () => {
        if (!isClosing) onLost();
      });
      await client.connect();
      return {
        query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
          timed(text, client.query<Row>(text, values)),
        async close() {
          isClosing = true;
          await client.end();
        },
      };
    },
    async close() {
      isClosed = true;
      await Promise.all([pool.end(), ...listeners.map((client) => client.end())]);
      // `pool.end` does not wait until the connections are closed, and the server may be stopped right after this.
      const signal = AbortSignal.timeout(DISCONNECT_MS);
      while (connected.size > 0 && !signal.aborted) await once(pool, "remove", { signal }).catch(() => {});
    },
  };
}

/** Whether the data itself caused an error, so that the same statement with the same data would fail again. */
export function isDataError(error: unknown): boolean {
  // Classes: data exception, integrity violation, program limit exceeded (for example an index entry that is too large).
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? "");
}

/** Errors are logged, and PostgreSQL puts values of the failing row into these parts of them. */
function hideRowValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  Reflect.deleteProperty(error, "detail");
  Reflect.deleteProperty(error, "where");
}

/** Whether a partitioned table has no partition for a row. One may be created later. */
export function isMissingPartition(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23514" && error.routine === "ExecFindPartition";
}

/** Whether a statement failed only because one before it in the same transaction did. */
function isConsequence(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "25P02";
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "40P01";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23503";
}
