import type { Database, Session } from "./database.js";

/**
 * Claims to named work that only one process may do at a time. They are advisory locks of one connection, so they are
 * released when the process dies or loses the connection.
 */
export class WorkLocks {
  readonly #database: Database;
  readonly #held = new Set<string>();
  readonly #onLost: () => void;
  #session: Promise<Session> | undefined;

  /** `onLost` is called when the connection and all claims with it are lost. The work under them must stop then. */
  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /** Tries to claim the work. True when this process has the claim, also when it had it before. */
  async claim(name: string): Promise<boolean> {
    if (this.#held.has(name)) return true;
    const session = await this.#open();
    const { rows } = await session.query<{ claimed: boolean }>(
      "select pg_try_advisory_lock(hashtextextended($1, 0)) as claimed",
      [name],
    );
    if (rows[0]?.claimed) this.#held.add(name);
    return rows[0]?.claimed === true;
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
    // If the connection cannot be opened, the next claim tries again.
    this.#session.catch(() => {
      this.#session = undefined;
    });
    return this.#session;
  }
}
