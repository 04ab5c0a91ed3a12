import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { LOAD_EVENTS } from "../dataset/words.js";
import { runLoad } from "../ingest/run-load.js";
import { openApi } from "../lib/api.js";
import { startChild } from "../lib/child.js";
import { readTreeUsage } from "../lib/process-tree.js";
import { secondsSince } from "../lib/seconds-since.js";
import { startServer, withDataDir } from "../lib/start-server.js";

const BATCH_SIZE = 500;

export interface LoadCase {
  computed: number;
  rollUps: number;
  seconds: number;
  /** Most entries a second; 0: as many as the server takes. */
  pace?: number;
}

/** Measures the rate of entries on a server of its own with so many computed attributes, under full load. */
export async function measureLoad({ computed, rollUps, seconds, pace = 0 }: LoadCase) {
  return withDataDir(async (dataDir) => {
    const server = await startServer({ dataDir, environment: { MAX_BACKLOG_ENTRIES: "100000" } });
    const load = startChild(new URL("../ingest/load.js", import.meta.url), []);
    const client = new pg.Client({ connectionString: await server.databaseUrl() });
    try {
      await client.connect();
      const api = openApi(server);
      for (let place = 0; place < computed; place++) await api("POST", "/computed_attributes", ofUsers(place));
      for (let place = 0; place < rollUps; place++) await api("POST", "/computed_attributes", ofAccounts(place));
      // All users exist before the measurement starts, because creating users is another kind of work.
      await runLoad(server, load, { batchSize: BATCH_SIZE, seconds: Math.max(5, seconds / 2), pace: 0 });
      await whenQuiet(client);
      const cpuBefore = readTreeUsage(server.pid).cpuMs;
      const { entries, elapsed } = await runLoad(server, load, { batchSize: BATCH_SIZE, seconds, pace });
      const after = performance.now();
      await whenQuiet(client);
      const settledSeconds = secondsSince(after);
      // Processor time, because all that is computed later belongs to the entries too.
      const microseconds = (1_000 * (readTreeUsage(server.pid).cpuMs - cpuBefore)) / entries;
      return { computed, rollUps, perSecond: entries / elapsed, microseconds, settledSeconds };
    } finally {
      await client.end();
      await load.stop();
      await server.stop();
    }
  });
}

const EVENT_FIGURES = ["count", "sum", "max", "last", "unique"] as const;

function ofUsers(place: number) {
  const event = LOAD_EVENTS[place % LOAD_EVENTS.length] ?? "";
  const figure = EVENT_FIGURES[place % EVENT_FIGURES.length] ?? "count";
  const within = place % 2 === 0 ? {} : { within: `${place + 1}d` };
  const given = figure === "count" ? { event, ...within } : { event, property: "amount", ...within };
  const type = figure === "max" || figure === "last" ? { type: "numeric" } : {};
  return { target: "user", name: `computed_${place}`, compute: { [figure]: given }, ...type };
}

function ofAccounts(place: number) {
  const over = [
    { count: { where: { term: { plan: "pro" } } } },
    { sum: { attribute: "mrr" } },
    { share: { where: { range: { seats: { gt: place } } } } },
    { count: { event: LOAD_EVENTS[place % LOAD_EVENTS.length] ?? "", within: "30d" } },
  ];
  return { target: "account", name: `rolled_${place}`, compute: { over_users: over[place % over.length] } };
}

/** Waits until the relay has come to the end of the change log, everything is computed, and nothing is added to it any more. */
export async function whenQuiet(client: pg.Client): Promise<void> {
  for (let same = 0; same < 3; ) {
    const { rows } = await client.query<{ is_quiet: boolean }>(
      `select coalesce(bool_and(h.sequence = p.sequence and p.computed_until = p.sequence), true)
         and not exists (select from computed_attributes where filled_revision < revision) as is_quiet
       from change_heads h join project_cursors p using (organization_id)`,
    );
    same = rows[0]?.is_quiet ? same + 1 : 0;
    await sleep(20);
  }
}
