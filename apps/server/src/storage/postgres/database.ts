import { once } from "node:events";
import pg from "pg";

/** Runs statements: the pool, or the client of a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
}

/**
 * One transaction: inside it nothing else can run a statement, so the pool cannot be used by mistake. Statements run in the
 * order they are asked for; those that are asked for together (`Promise.all`) travel together.
 */
export interface Transaction extends Queryable {
  readonly isTransaction: true;
}

/** A connection of one's own; `close` it when done. */
export interface Session extends Queryable {
  close(): Promise<void>;
}

export interface Database extends Queryable {
  /** A statement whose text is a constant, planned once per connection. Alone, it is a transaction of its own. */
  prepared<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>>;
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /** Calls `onMessage` for each notification on `channel` until the database is closed. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<void>;
  /** A connection of one's own, for what lives as long as a connection does, such as advisory locks. */
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

// A server that is gone does not answer a goodbye.
const GOODBYE_MS = 5_000;

// bigint columns hold positions and counters that stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const statementNames = new Map<string, string>();

/**
 * Statements of transactions are prepared once per connection: a micro-batch runs some twenty of them, and planning each
 * anew took longer than running it while batches are small. Their texts are constants, so there are only so many.
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
    // Statements that do not wait for one another are sent together and cost one round trip.
    pipeline: true,
  });
  let isClosed = false;
  const report = (error: Error) => {
    // A server that stops with us may end a connection before our goodbye has reached it.
    if (isClosed) return;
    // The pool hangs the client on the error, and with it everything the client knows: nothing for a log.
    Reflect.deleteProperty(error, "client");
    options.onError(error);
  };
  // On each client, since the pool listens only to idle ones and an error nobody listens to ends the process.
  const connected = new Set<pg.PoolClient>();
  pool.on("connect", (client) => connected.add(client.on("error", report)));
  pool.on("remove", (client) => connected.delete(client));
  // The same errors again, for idle clients.
  pool.on("error", () => {});
  const listeners: pg.Client[] = [];

  const timed = async <Result>(text: string, work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    try {
      return await work;
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
          // Statements behind the one that failed fail too, and say no more than that.
          if (!isConsequence(error)) cause = error;
          throw cause ?? error;
        }
      };
      try {
        const begun = client.query("begin");
        const working = work({ isTransaction: true, query: run });
        const [result] = await Promise.all([working, begun]);
        const { command } = await client.query("commit");
        // Whoever overlooked that a statement failed must not believe that the others took effect.
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
      // The pool has ended while its goodbyes are still on their way, and the server may be stopped right after us.
      const patience = AbortSignal.timeout(GOODBYE_MS);
      while (connected.size > 0 && !patience.aborted) await once(pool, "remove", { signal: patience }).catch(() => {});
    },
  };
}

/** Errors that the data itself causes: the same statement with the same data fails again. */
export function isDataError(error: unknown): boolean {
  // Classes: data exception, integrity violation, program limit exceeded (an index entry too large, say).
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? "");
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
