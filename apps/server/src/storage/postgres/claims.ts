import type { Database, Session } from "./database.js";

/**
 * Work that only one process may do at a time, by name. Claims are advisory locks of one connection: they are free at
 * once when the process dies or loses it.
 */
export class Claims {
  readonly #database: Database;
  readonly #held = new Set<string>();
  readonly #onLost: () => void;
  #session: Promise<Session> | undefined;

  /** `onLost` is called when claims were lost with the connection; whatever was done under them must stop. */
  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /** Whether the work is ours, now or since before. */
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
    // A connection that could not be opened is tried again with the next claim.
    this.#session.catch(() => {
      this.#session = undefined;
    });
    return this.#session;
  }
}
