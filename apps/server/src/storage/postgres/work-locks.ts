import { randomUUID } from "node:crypto";
import { ClaimLost } from "./claim-lost.js";
import type { Database, Session, Transaction } from "./database.js";

/** The right to do a piece of work, which another process cannot have at the same time. */
export interface WorkClaim {
  /** Whether no other process has had the work since this one had it last. */
  isContinued: boolean;
  /**
   * Throws when another process has taken over the work, which it can when the connection that holds the lock is lost.
   * Must be called in each transaction that saves results of the work. Until that transaction ends, nobody can take over.
   */
  confirm(tx: Transaction): Promise<void>;
}

/**
 * Locks on named work that only one process may do at a time. They are advisory locks of one connection of PostgreSQL, so
 * they are released when the process dies or loses the connection.
 */
export class WorkLocks {
  readonly #database: Database;
  readonly #held = new Map<string, WorkClaim>();
  /** The token with which this process had each work last. */
  readonly #tokens = new Map<string, string>();
  readonly #onLost: () => void;
  #session: Promise<Session> | undefined;

  /** `onLost` is called when the connection and all locks with it are lost. The work under them must stop then. */
  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /**
   * Tries to take the lock. Returns the claim when this process has it, also when it had it before. Work that is not
   * about one organization has none.
   */
  async take(work: string, organizationId = ""): Promise<WorkClaim | undefined> {
    const key = keyOf(work, organizationId);
    const held = this.#held.get(key);
    if (held) return held;
    const opened = this.#open();
    const session = await opened;
    const { rows } = await session.query<{ taken: boolean }>(
      "select pg_try_advisory_lock(hashtextextended($1, 0)) as taken",
      [key],
    );
    if (!rows[0]?.taken) return undefined;
    const claim = await this.#claim(session, work, organizationId);
    // The connection may have been lost meanwhile, and the lock with it.
    if (this.#session !== opened) return undefined;
    this.#held.set(key, { ...claim, isContinued: true });
    return claim;
  }

  async release(work: string, organizationId = ""): Promise<void> {
    const key = keyOf(work, organizationId);
    if (!this.#held.delete(key)) return;
    const session = await this.#open();
    await session.query(UNLOCK, [key]);
  }

  async close(): Promise<void> {
    const session = await this.#session;
    this.#session = undefined;
    this.#held.clear();
    await session?.close();
  }

  /** Writes a new token. This waits for a transaction of the previous holder that is about to be committed. */
  async #claim(session: Session, work: string, organizationId: string): Promise<WorkClaim> {
    const key = keyOf(work, organizationId);
    const token = randomUUID();
    const before = await writeToken(session, work, organizationId, token).catch(async (error: unknown) => {
      await session.query(UNLOCK, [key]);
      throw error;
    });
    const isContinued = before !== undefined && before === this.#tokens.get(key);
    this.#tokens.set(key, token);
    return {
      isContinued,
      async confirm(tx) {
        const { rowCount } = await tx.query(
          "select from work_claims where organization_id = $1 and work = $2 and token = $3 for share",
          [organizationId, work, token],
        );
        if (rowCount !== 1) throw new ClaimLost(key);
      },
    };
  }

  #open(): Promise<Session> {
    this.#session ??= this.#connect();
    // If the connection cannot be opened, the next `take` tries again.
    this.#session.catch(() => {
      this.#session = undefined;
    });
    return this.#session;
  }

  async #connect(): Promise<Session> {
    const session = await this.#database.openSession(() => {
      this.#session = undefined;
      this.#held.clear();
      this.#onLost();
    });
    // A token that a crash of PostgreSQL loses protects nothing that was saved, so taking work need not wait for the disk.
    // The keep-alives make PostgreSQL notice within half a minute that the machine of a process is gone.
    const settings = "set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";
    await session.query(`set synchronous_commit = off; ${settings}`).catch(async (error: unknown) => {
      await session.close();
      throw error;
    });
    return session;
  }
}

const UNLOCK = "select pg_advisory_unlock(hashtextextended($1, 0))";

/** Writes the token of the present holder. Returns that of the previous one, if there was one. */
async function writeToken(
  session: Session,
  work: string,
  organizationId: string,
  token: string,
): Promise<string | undefined> {
  const { rows } = await session.query<{ before: string | null }>(
    `with present as (
       select token from work_claims where organization_id = $1 and work = $2
     )
     insert into work_claims (organization_id, work, token)
     values ($1, $2, $3)
     on conflict (organization_id, work) do update
     set token = excluded.token
     returning (select token from present) as before`,
    [organizationId, work, token],
  );
  return rows[0]?.before ?? undefined;
}

function keyOf(work: string, organizationId: string): string {
  return organizationId === "" ? work : `${work} of ${organizationId}`;
}
