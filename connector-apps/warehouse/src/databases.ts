import { ConfigurationError, TransientError } from "@muster/connector";
import pg from "pg";
import type { Settings } from "./settings.js";
import { tableStatements } from "./tables.js";

// Notifications of a connector come one at a time; a second connection is for the status.
const CONNECTIONS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;

/** The databases that connectors write to, each with its tables. */
export class Databases {
  readonly #pools = new Map<string, pg.Pool>();
  readonly #prepared = new Map<string, Promise<void>>();

  /** Runs `work` in one transaction, with the tables there. */
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
        // A connection in the middle of something is of no use to the next.
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
    // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
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

/** The database's own verdicts have a code of five characters; classes 08, 40, 53, 57P and 58 pass by themselves. */
function explain(error: unknown): unknown {
  const { code = "", message } = error as { code?: string; message: string };
  if (!/^[0-9A-Z]{5}$/.test(code) || /^(08|40|53|57P|58)/.test(code)) {
    return new TransientError(`The database cannot be written to: ${message}`, { cause: error });
  }
  return new ConfigurationError(`The database says: ${message}`, { cause: error });
}
