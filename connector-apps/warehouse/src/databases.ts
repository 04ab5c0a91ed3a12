import { ConfigurationError, TransientError } from "@muster/connector";
import pg from "pg";
import type { Settings } from "./settings.js";
import { tableStatements } from "./tables.js";

// A connector receives one notification at a time. The second connection is for status checks.
const CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

/** The databases that connectors write to. */
export class Databases {
  readonly #pools = new Map<string, pg.Pool>();
  readonly #prepared = new Map<string, Promise<void>>();

  /** Runs `work` in one transaction. The tables are created before, when they do not exist. */
  async write(settings: Settings, work: (tx: pg.ClientBase) => Promise<void>): Promise<void> {
    const pool = this.#open(settings);
    try {
      await this.#prepare(pool, settings);
      const client = await pool.connect();
      try {
        await client.query("begin");
        await work(client);
        await client.query("commit");
        client.release();
      } catch (error) {
        // The connection may be in the middle of a transaction: close it instead of lending it to the next caller.
        client.release(true);
        throw error;
      }
    } catch (error) {
      throw explain(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()));
  }

  #open({ connectionString }: Settings): pg.Pool {
    const known = this.#pools.get(connectionString);
    if (known) return known;
    const pool = new pg.Pool({
      connectionString,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      application_name: "muster warehouse",
    });
    // The pool replaces a connection that breaks while it is idle. Without a listener the error would end the process.
    pool.on("error", () => {});
    this.#pools.set(connectionString, pool);
    return pool;
  }

  #prepare(pool: pg.Pool, { connectionString, schema }: Settings): Promise<void> {
    const key = JSON.stringify([connectionString, schema]);
    const known = this.#prepared.get(key);
    if (known) return known;
    const prepared = pool.query(tableStatements(schema)).then(() => {});
    this.#prepared.set(key, prepared);
    prepared.catch(() => this.#prepared.delete(key));
    return prepared;
  }
}

/**
 * PostgreSQL's own errors have a code of five characters. Errors of the classes 08, 40, 53, 57P and 58 (connection,
 * conflict, resources, shutdown, system) and errors without a code can pass without a change of the settings.
 */
function explain(error: unknown): unknown {
  const { code = "", message } = error as { code?: string; message: string };
  if (!/^[0-9A-Z]{5}$/.test(code) || /^(08|40|53|57P|58)/.test(code)) {
    return new TransientError(`The database cannot be written to at the moment: ${message}`, { cause: error });
  }
  return new ConfigurationError(`The database reported: ${message}`, { cause: error });
}
