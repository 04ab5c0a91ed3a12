import pg from "pg";

/** How much the connections of a database waited for one another. */
export interface LockWaits {
  /** Connections that waited for a lock of a row, a table or a claim, on average over the time. */
  locks: number;
  /** Connections that waited inside PostgreSQL, on average: for a buffer, for the log, for the disk. */
  internal: number;
  deadlocks: number;
  rollbacks: number;
}

const LOOK_EVERY_MS = 100;

/** Looks at all connections ten times a second. Returns a function that ends this. */
export async function watchLocks(databaseUrl: string): Promise<() => Promise<LockWaits>> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "bench" });
  await client.connect();
  const before = await readCounters(client);
  const totals = { looks: 0, locks: 0, internal: 0 };
  let isStopping = false;
  const looking = (async () => {
    while (!isStopping) {
      const { rows } = await client.query<{ locks: number; internal: number }>(
        `select count(*) filter (where wait_event_type = 'Lock')::int as locks,
           count(*) filter (where wait_event_type in ('LWLock', 'IO', 'BufferPin'))::int as internal
         from pg_stat_activity
         where backend_type = 'client backend' and application_name <> 'bench'`,
      );
      totals.looks += 1;
      totals.locks += rows[0]?.locks ?? 0;
      totals.internal += rows[0]?.internal ?? 0;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  })();
  return async () => {
    isStopping = true;
    await looking;
    const after = await readCounters(client);
    await client.end();
    return {
      locks: totals.locks / totals.looks,
      internal: totals.internal / totals.looks,
      deadlocks: after.deadlocks - before.deadlocks,
      rollbacks: after.rollbacks - before.rollbacks,
    };
  };
}

async function readCounters(client: pg.Client): Promise<{ deadlocks: number; rollbacks: number }> {
  const { rows } = await client.query<{ deadlocks: number; rollbacks: number }>(
    `select deadlocks::int, xact_rollback::int as rollbacks
     from pg_stat_database
     where datname = current_database()`,
  );
  return rows[0] ?? { deadlocks: 0, rollbacks: 0 };
}
