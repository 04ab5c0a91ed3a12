import type { Database, Session } from "./database.js";

/**
 * Locks on named work that only one process may do at a time. They are advisory locks of one connection of PostgreSQL, so
 * they are released when the process dies or loses the connection.
 */
export class WorkLocks {
  readonly #database: Database;
  readonly #held = new Set<string>();
  readonly #onLost: () => void;
  #session: Promise<Session> | undefined;

  /** `onLost` is called when the connection and all locks with it are lost. The work under them must stop then. */
  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /** Tries to take the lock. True when this process has it, also when it had it before. */
  async take(name: string): Promise<boolean> {
    if (this.#held.has(name)) return true;
    const session = await this.#open();
    const { rows } = await session.query<{ taken: boolean }>(
      "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken",
      [name],
    );
    if (rows[0]?.taken) this.#held.add(name);
    return rows[0]?.taken === true;
  }

  async release(name: string): Promise<void> {
    if (!this.#held.delete(name)) return;
    const session = await this.#open();
    await session.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]);
  }

  async close(): Promise<void> {
    const session = await this.#session;
    this.#session = undefined;
    this.#held.clear();
    await session?.close();
  }

  #open(): Promise<Session> {
    this.#session ??= this.#database.openSession(() => {
      this.#session = undefined;
      this.#held.clear();
      this.#onLost();
    });
    // If the connection cannot be opened, the next `take` tries again.
    this.#session.catch(() => {
      this.#session = undefined;
    });
    return this.#session;
  }
}
