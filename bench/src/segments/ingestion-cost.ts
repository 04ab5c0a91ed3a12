import { setTimeout as sleep } from "node:timers/promises";
import { signToken } from "@muster/protocol";
import { segmentQueries } from "../dataset/segment-queries.js";
import { LOAD_EVENTS } from "../dataset/words.js";
import { runLoad } from "../ingest/run-load.js";
import { openApi } from "../lib/api.js";
import { type Child, startChild } from "../lib/child.js";
import { type RunningServer, startServer, withDataDir } from "../lib/start-server.js";

const BATCH_SIZE = 500;

export interface IngestionCost {
  segments: number;
  /** Entries that became searchable in a second, with their segments evaluated. */
  perSecond: number;
}

export interface MembershipDelay {
  pace: number;
  /** Milliseconds from the acknowledgement of a record until its user is in the segment. */
  ms: number[];
}

export interface CostOptions {
  segments: number;
  seconds: number;
  /** Measure the delay of memberships as well, while this many entries arrive in a second. */
  pace?: number;
}

/** Measures the rate of entries on a server of its own with this many segments, under full load. */
export async function measureIngestion(
  options: CostOptions,
): Promise<{ cost: IngestionCost; delay?: MembershipDelay }> {
  const { segments, seconds, pace } = options;
  return withDataDir(async (dataDir) => {
    const server = await startServer({ dataDir, environment: { MAX_BACKLOG_ENTRIES: "100000" } });
    const load = startChild(new URL("../ingest/load.js", import.meta.url), []);
    try {
      const api = openApi(server);
      for (const [index, query] of segmentQueries(
        segments,
        (place) => LOAD_EVENTS[place % LOAD_EVENTS.length] ?? "",
      ).entries()) {
        await api("POST", "/users_segments", { name: `Segment ${index}`, query, predicate: {} });
      }
      // All users exist before the measurement starts, because creating users is another kind of work.
      await runLoad(server, load, { batchSize: BATCH_SIZE, seconds: Math.max(5, seconds / 2), pace: 0 });
      const { entries, elapsed } = await runLoad(server, load, { batchSize: BATCH_SIZE, seconds, pace: 0 });
      const cost = { segments, perSecond: entries / elapsed };
      if (pace === undefined) return { cost };
      const delay = await measureDelay(server, load, pace, seconds);
      return { cost, delay };
    } finally {
      await load.stop();
      await server.stop();
    }
  });
}

async function measureDelay(
  server: RunningServer,
  load: Child,
  pace: number,
  seconds: number,
): Promise<MembershipDelay> {
  const { url, connectorId, secret } = server;
  const loaded = runLoad(server, load, { batchSize: 50, seconds, pace });
  const api = openApi(server);
  const ms: number[] = [];
  const deadline = performance.now() + seconds * 1_000;
  for (let probe = 0; performance.now() < deadline; probe++) {
    const token = signToken(
      {
        iss: connectorId,
        iat: Math.floor(Date.now() / 1_000),
        "io.svc.subjectType": "user",
        "io.svc.asUser": { external_id: "probe" },
      },
      secret,
    );
    const at = new Date().toISOString();
    // The user enters a segment of one plan and leaves that of the other.
    const body = { plan: probe % 2 === 0 ? "pro" : "free", seats: 1, mrr: probe };
    const answer = await fetch(`${url}/firehose`, {
      method: "POST",
      headers: { "content-type": "application/json", "svc-app-id": connectorId, "svc-access-token": secret },
      body: JSON.stringify({
        timestamp: at,
        sentAt: at,
        batch: [{ type: "traits", timestamp: at, headers: { "Svc-Access-Token": token }, body }],
      }),
    });
    const { position } = (await answer.json()) as { position: string };
    const acknowledgedAt = performance.now();
    await (await api("GET", "/org", undefined, { "svc-wait-for": position })).arrayBuffer();
    ms.push(performance.now() - acknowledgedAt);
    await sleep(100);
  }
  await loaded;
  return { pace, ms };
}
