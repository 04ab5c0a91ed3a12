import type { Database, Queryable, Transaction } from "../database.js";
import { holdersWakeUp, WAKE_UPS_CHANNEL } from "../wake-ups.js";

/** A holder that lives and is not this one. */
export interface OtherHolder {
  id: string;
  place: string;
  roles: readonly string[];
}

export interface HolderRow {
  id: string;
  place: string;
  roles: readonly string[];
  host: string;
  version: string;
}

/** A holder as the operator sees it. */
export interface LiveHolder {
  host: string;
  version: string;
  roles: string[];
  startedAt: Date;
}

// Nothing reads the rows of dead processes any more.
const KEEP_HOURS = 1;

export interface Renewal {
  /** The other holders that live. */
  others: OtherHolder[];
  /**
   * The tokens of the work that the holder still has; undefined when its leases had not expired, so that nobody can have
   * taken any.
   */
  tokens: ReadonlySet<string> | undefined;
}

/**
 * Renews all leases of a holder, by the clock of the database: one row, however much work it has. Only that clock knows
 * whether they had expired: the clocks of a suspended machine may have stood still.
 */
export async function renewHolder(database: Database, holder: HolderRow, leaseMs: number): Promise<Renewal> {
  const { id, place, roles, host, version } = holder;
  return alwaysWriting(database, async (tx) => {
    // In this order, and in one round trip: an idle server does hardly anything else.
    const [{ rows: before }, , { rows: others }] = await Promise.all([
      tx.query<{ is_live: boolean }>(
        "select expires_at > clock_timestamp() as is_live from lease_holders where id = $1 for update",
        [id],
      ),
      tx.query(
        `insert into lease_holders (id, place, roles, host, version, expires_at)
         values ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
         on conflict (id) do update
         set roles = excluded.roles, expires_at = excluded.expires_at`,
        [id, place, roles, host, version, leaseMs],
      ),
      tx.query<OtherHolder>(
        "select id, place, roles from lease_holders where id <> $1 and expires_at > clock_timestamp()",
        [id],
      ),
    ]);
    return { others, tokens: before[0]?.is_live ? undefined : await readTokens(tx, id) };
  });
}

/**
 * Renews the leases of a holder for it. Returns false when they have expired: then only the holder may renew them, because
 * it must find out what it has lost.
 */
export async function extendHolder(database: Database, id: string, leaseMs: number): Promise<boolean> {
  return alwaysWriting(database, async (tx) => {
    const { rowCount } = await tx.query(
      `update lease_holders
       set expires_at = clock_timestamp() + $2 * interval '1 millisecond'
       where id = $1 and expires_at > clock_timestamp()`,
      [id, leaseMs],
    );
    return rowCount === 1;
  });
}

/** Removes the earlier holder with the same place. Only one process at a time can have the place, so that process has ended. */
export async function removePredecessors(database: Database, { id, place }: HolderRow): Promise<void> {
  await alwaysWriting(database, (tx) =>
    tx.query(
      `delete from lease_holders
       where id <> $1
         and (place = $2 or expires_at < clock_timestamp() - interval '${KEEP_HOURS} hours')`,
      [id, place],
    ),
  );
}

/** Ends all leases of a holder at once. */
export async function removeHolder(database: Database, id: string): Promise<void> {
  await alwaysWriting(database, async (tx) => {
    await tx.query("delete from lease_holders where id = $1", [id]);
    await tx.query("select pg_notify($1, $2)", [WAKE_UPS_CHANNEL, holdersWakeUp(id)]);
  });
}

/** The tokens of the work that a holder has. */
async function readTokens(database: Queryable, holder: string): Promise<Set<string>> {
  const { rows } = await database.query<{ token: string }>("select token from work_claims where holder = $1", [holder]);
  return new Set(rows.map(({ token }) => token));
}

export async function listLiveHolders(database: Queryable): Promise<LiveHolder[]> {
  const { rows } = await database.query<LiveHolder>(
    `select host, version, roles, started_at as "startedAt"
     from lease_holders
     where expires_at > clock_timestamp()
     order by host, started_at`,
  );
  return rows;
}

/** Also while the disk is nearly full and other writes are refused: this writes little, and no work goes on without it. */
export function alwaysWriting<Result>(database: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return database.transaction(async (tx) => {
    const [, result] = await Promise.all([tx.query("set transaction read write"), work(tx)]);
    return result;
  });
}
