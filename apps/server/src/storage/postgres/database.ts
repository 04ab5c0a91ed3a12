import { once } from "node:events";
import { DAY_MS, Refusal } from "@muster/protocol";
import pg from "pg";
import { type CopySession, openCopySession } from "./copy-session.js";
import { Listener } from "./listener.js";
import { asUnavailable, isInRecovery } from "./unavailable.js";

/** Runs statements, on any connection of the pool or on that of a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>;
  /** Runs a statement whose text is a constant and names its columns. It is planned once per connection. */
  prepared<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>>;
}

/**
 * A transaction. Functions that must run in one take this type, so that the pool cannot be passed by mistake. Statements
 * run in the order of the calls. Those that are called together (`Promise.all`) are sent in one round trip.
 */
export interface Transaction extends Queryable {
  readonly isTransaction: true;
}

export interface TransactionOptions {
  /** Its statements may take as long as they need, and wait for locks as long. */
  isPatient?: boolean;
}

/** A database that cannot work at present, for whatever reason, refuses with `unavailable`. */
export interface Database extends Queryable {
  transaction<Result>(work: (tx: Transaction) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Calls `onMessage` for each notification on `channel` until the database is closed, and with an empty payload when
   * some may have been missed because the connection was lost.
   */
  listen(channel: string, onMessage: (payload: string) => void): Promise<void>;
  /** Opens a separate connection without time limits, for copies of whole tables. */
  openCopySession(): Promise<CopySession>;
  /** Refuses writes from now on, or accepts them again. Transactions that have begun may finish. */
  setReadOnly(isReadOnly: boolean): void;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  slowQueryMs: number;
  onSlowQuery(sql: string, durationMs: number): void;
  onError(error: Error): void;
  maxConnections?: number;
  /** The direct address of the server, when `url` is a connection pooler in transaction mode. */
  directUrl?: string | undefined;
  limits?: DatabaseLimits;
}

export interface DatabaseLimits {
  /** How long to wait for a connection, a new one or one of the pool. */
  connectMs: number;
  /** How long a statement may take. A server that disappears silently is noticed after this time. */
  statementMs: number;
  lockMs: number;
  /** How often connections that are kept open are checked. */
  lookEveryMs?: number;
}

const LIMITS: DatabaseLimits = { connectMs: 15_000, statementMs: 5 * 60_000, lockMs: 60_000 };
const LOOK_EVERY_MS = 20_000;
// Our transactions are idle for seconds at most. A longer idle transaction belongs to a hanging process, and its locks
// block other processes.
const IDLE_TRANSACTION_MS = 2 * 60_000;
// An idle server looks for work every few seconds. Without these it would open a connection, and check a password, for each look.
const KEPT_CONNECTIONS = 2;
const KEEP_ALIVE_AFTER_MS = 10_000;

// How long a close waits for its connections to end. An unreachable server never confirms the end.
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

const BEGIN_PATIENTLY = "begin; set local statement_timeout = 0; set local lock_timeout = 0";

export function openDatabase(options: DatabaseOptions): Database {
  const { connectMs, statementMs, lockMs, lookEveryMs = LOOK_EVERY_MS } = options.limits ?? LIMITS;
  // Behind a connection pooler, prepared statements and session settings may be on another connection the next time.
  const isPooler = options.directUrl !== undefined;
  const connected = {
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
  const direct = {
    ...connected,
    connectionString: options.directUrl ?? options.url,
    options: [
      "timezone=UTC",
      `statement_timeout=${statementMs}`,
      `lock_timeout=${lockMs}`,
      `idle_in_transaction_session_timeout=${IDLE_TRANSACTION_MS}`,
    ]
      .map((setting) => `-c ${setting}`)
      .join(" "),
  };
  const named = (text: string) => (isPooler ? { text } : { name: statementName(text), text });
  const pool = new pg.Pool({
    ...(isPooler ? { ...connected, connectionString: options.url } : direct),
    max: options.maxConnections ?? 12,
    min: KEPT_CONNECTIONS,
    application_name: "muster",
    // The server itself cancels a slow statement. This limit is for an unreachable server.
    query_timeout: statementMs + connectMs,
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
  // Added to each client, because the pool listens only to idle clients, and an unhandled error event ends the process.
  const clients = new Set<pg.PoolClient>();
  let isReadOnly = false;
  /** Whether each client is read-only. A client is missing while its mode is unknown. */
  const readOnly = new WeakMap<pg.PoolClient, boolean>();
  pool.on("connect", (client) => {
    clients.add(client.on("error", report));
    readOnly.set(client, false);
  });
  // Set before a user gets the client: within a transaction, a rollback would undo the setting.
  pool.on("acquire", (client) => {
    if (readOnly.get(client) === isReadOnly) return;
    readOnly.delete(client);
    const becomes = isReadOnly;
    client.query(`set default_transaction_read_only = ${becomes ? "on" : "off"}`).then(
      () => readOnly.set(client, becomes),
      // The next user retries. A connection that was just lost has already reported it.
      () => {},
    );
  });
  pool.on("remove", (client) => clients.delete(client));
  // The pool repeats the errors of idle clients, which are reported already.
  pool.on("error", () => {});
  const listener = new Listener({
    config: { ...direct, application_name: "muster-listen", query_timeout: connectMs },
    lookEveryMs,
    onError: report,
  });

  const timed = async <Result>(text: string, work: Promise<Result>): Promise<Result> => {
    const startedAt = performance.now();
    try {
      return await work;
    } catch (error) {
      hideRowValues(error);
      throw asUnavailable(error);
    } finally {
      const durationMs = performance.now() - startedAt;
      if (durationMs > options.slowQueryMs) options.onSlowQuery(text, Math.round(durationMs));
    }
  };

  return {
    query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      timed(text, pool.query<Row>(text, values)),
    prepared: <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
      timed(text, pool.query<Row>({ ...named(text), values })),
    async transaction(work, { isPatient = false } = {}) {
      const client = await pool.connect().catch((error: unknown) => {
        throw asUnavailable(error);
      });
      let broken: Error | undefined;
      let cause: unknown;
      let hasEnded = false;
      const patience = isPatient ? { query_timeout: DAY_MS } : {};
      const run = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => {
        // Outside its transaction the statement would be committed on its own, on a connection that another user may have.
        if (hasEnded) throw new Error("A statement came after the end of its transaction.");
        const statement = values ? { ...named(text), values } : { text };
        try {
          return await timed(text, client.query<Row>({ ...statement, ...patience }));
        } catch (error) {
          // Statements after a failed one fail too, with an error that does not contain the cause.
          if (!isConsequence(error)) cause = error;
          throw cause ?? error;
        }
      };
      try {
        const begun = client.query(isPatient ? BEGIN_PATIENTLY : "begin");
        const working = work({ isTransaction: true, query: run, prepared: run });
        const [result] = await Promise.all([working, begun]);
        hasEnded = true;
        const { command } = await client.query("commit");
        // A commit after a failed statement rolls back without an error. The caller must know that nothing was written.
        if (command !== "COMMIT") throw cause ?? new Error("The transaction was rolled back.");
        return result;
      } catch (error) {
        hasEnded = true;
        await client.query("rollback").catch((rollbackError: Error) => {
          broken = rollbackError;
        });
        // The server has become a standby. A new connection may lead to the one that takes writes.
        if (isReadOnlyServer(error) && !isReadOnly) broken ??= new Error("The server takes no writes.");
        throw asUnavailable(error);
      } finally {
        client.release(broken);
      }
    },
    async listen(channel, onMessage) {
      await listener.listen(channel, onMessage);
    },
    openCopySession: () =>
      openCopySession({ ...direct, application_name: "muster-copy" }, report).catch((error: unknown) => {
        throw asUnavailable(error);
      }),
    setReadOnly(value) {
      isReadOnly = value;
    },
    async close() {
      isClosed = true;
      await Promise.all([pool.end(), listener.close()]);
      // `pool.end` does not wait until the connections are closed, and the server may be stopped right after this.
      const signal = AbortSignal.timeout(DISCONNECT_MS);
      while (clients.size > 0 && !signal.aborted) await once(pool, "remove", { signal }).catch(() => {});
    },
  };
}

/** Whether the data itself caused an error, so that the same statement with the same data would fail again. */
export function isDataError(error: unknown): boolean {
  // Classes: cardinality violation (a statement writes one row twice), data exception, integrity violation, program limit
  // exceeded (for example an index entry that is too large).
  return error instanceof pg.DatabaseError && /^(21|22|23|54)/.test(error.code ?? "");
}

/** Errors are logged, and PostgreSQL puts values of the failing row into these parts of them. */
function hideRowValues(error: unknown): void {
  if (!(error instanceof pg.DatabaseError)) return;
  Reflect.deleteProperty(error, "detail");
  Reflect.deleteProperty(error, "where");
}

/** Whether a server refused a write because it is a standby, or was told to take none. */
function isReadOnlyServer(error: unknown): boolean {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof pg.DatabaseError && (cause.code === "25006" || isInRecovery(cause));
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

/** Whether a role lacks the right to run a statement. */
export function isForbidden(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "42501";
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "40P01";
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23503";
}
