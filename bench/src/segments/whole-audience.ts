import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { EVENT_NAMES } from "../dataset/attributes.js";
import { segmentQueries } from "../dataset/segment-queries.js";
import { type FilledServer, startFilledServer } from "../dataset/start-filled-server.js";
import { type CpuParts, watchCpu } from "../lib/cpu-parts.js";
import { secondsSince } from "../lib/seconds-since.js";
import { withDataDir } from "../lib/start-server.js";

export interface WholeAudience {
  fillSeconds: number;
  /** Milliseconds. */
  fillCpu: CpuParts;
  members: number;
  againSeconds: number;
}

/** Measures how long it takes until new segments have their members, and until all users are evaluated again. */
export async function measureWholeAudience(users: number, segments: number): Promise<WholeAudience> {
  const now = Math.floor(Date.now() / 1_000);
  return withDataDir(async (dataDir) => {
    const filled = await startFilledServer(dataDir, { users, now, hasEvents: true, hasProfiles: false });
    const client = new pg.Client({ connectionString: await filled.server.databaseUrl() });
    try {
      await client.connect();
      return await measure(filled, client, segments);
    } finally {
      await client.end();
      await filled.server.stop();
    }
  });
}

async function measure({ api, server }: FilledServer, client: pg.Client, segments: number): Promise<WholeAudience> {
  const cpu = await watchCpu(server);
  const startedAt = performance.now();
  let lastId = "";
  for (const [index, query] of segmentQueries(segments, (place) => `Event ${place % EVENT_NAMES}`).entries()) {
    const answer = await api("POST", "/users_segments", { name: `Segment ${index}`, query, predicate: {} });
    lastId = ((await answer.json()) as { id: string }).id;
  }
  await whenEvaluated(client);
  const fillSeconds = secondsSince(startedAt);
  const fillCpu = await cpu.stop();
  const list = (await (await api("GET", "/users_segments")).json()) as { stats: { users: number } }[];

  // Editing each segment would do the same, but not for all of them at one moment.
  await client.query("update segments set revision = revision + 1");
  const againAt = performance.now();
  await api("PUT", `/${lastId}`, { name: "Starts the evaluation" });
  await whenEvaluated(client);
  return {
    fillSeconds,
    fillCpu,
    members: list.reduce((sum, { stats }) => sum + stats.users, 0),
    againSeconds: secondsSince(againAt),
  };
}

async function whenEvaluated(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ waiting: string }>(
      "select count(*) as waiting from segments where evaluated_revision < revision",
    );
    if (Number(rows[0]?.waiting) === 0) return;
    await sleep(20);
  }
}
