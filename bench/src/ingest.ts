import { copyRows, upsertRows } from "./ingest/baselines.js";
import {
  baselineTable,
  cpuTable,
  type Doors,
  goalTable,
  loadCharts,
  loadTable,
  probeTable,
} from "./ingest/ingest-tables.js";
import { measureEngine } from "./ingest/measure-engine.js";
import { createUsers, type MeasuredLoad, measureLoad, type Setting } from "./ingest/measure-load.js";
import { forgetPlans, planEvents } from "./ingest/plan-events.js";
import { openApi } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { startChild } from "./lib/child.js";
import { type RunningServer, startServer, withDataDir } from "./lib/start-server.js";

const WARM_UP_SECONDS = 10;
const LOAD_SECONDS = 40;
const UPSERT_SECONDS = 10;
const COPIED_ROWS = 1_000_000;
const LEAST_SECONDS = 5;
const USERS = 100_000;
const PACED_BATCH = 50;
const TURNS = 4;

/**
 * Measures entries acknowledged and searchable a second, the processor time of each by thread and process, and the API
 * beside them, also with a tracking plan. Compares with PostgreSQL's `COPY` and row-at-a-time upserts. The question engine is measured once more
 * alone, in its own process.
 */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const result = await withDataDir((dataDir) => measureServer(dataDir, scale));
  return { ...result, tables: [...result.tables, await measureEngine(scale)] };
}

async function measureServer(dataDir: string, scale: number): Promise<BenchResult> {
  const server = await startServer({ dataDir, environment: { MAX_BACKLOG_ENTRIES: "100000" } });
  const load = startChild(new URL("./ingest/load.js", import.meta.url), []);
  const probe = startChild(new URL("./ingest/probe.js", import.meta.url), []);
  const setting: Setting = { server, load, probe, users: Math.round(USERS * Math.min(1, scale)) };
  const secondsOf = (seconds: number) => Math.max(LEAST_SECONDS, seconds * scale);
  try {
    await createUsers(setting, Math.min(WARM_UP_SECONDS, secondsOf(WARM_UP_SECONDS)));
    const seconds = secondsOf(LOAD_SECONDS);
    const full: MeasuredLoad[] = [];
    for (const batchSize of [PACED_BATCH, 500]) {
      full.push(
        await measureLoad(setting, { name: `batches of ${batchSize}, full speed`, batchSize, seconds, pace: 0 }),
      );
    }
    const doors = await measureDoors(setting, seconds);
    const planned: MeasuredLoad[] = [];
    for (const isFollowed of [true, false]) {
      await planEvents(openApi(server), isFollowed);
      const name = `batches of 500, with a plan that ${isFollowed ? "all events follow" : "no event follows"}`;
      planned.push(await measureLoad(setting, { name, batchSize: 500, seconds, pace: 0 }));
    }
    await forgetPlans(openApi(server));
    const pace = Math.round(Math.max(...full.map(({ searchablePerSecond }) => searchablePerSecond)) / 2);
    const name = `batches of ${PACED_BATCH}, half of it: ${pace.toLocaleString("en")}/s`;
    const half = await measureLoad(setting, { name, batchSize: PACED_BATCH, seconds, pace });

    const databaseUrl = await server.databaseUrl();
    const copied = await copyRows(databaseUrl, Math.round(COPIED_ROWS * Math.min(1, scale)));
    const upsertsPerSecond = await upsertRows(databaseUrl, secondsOf(UPSERT_SECONDS), setting.users);
    const loads = [...full, ...planned, half, ...doors.gateway, ...doors.calls];
    const measured = { full, half, doors, upsertsPerSecond };
    return {
      tables: [
        goalTable(measured),
        loadTable(loads),
        cpuTable(loads),
        probeTable(loads),
        baselineTable(measured, copied),
      ],
      charts: loadCharts([...full, ...planned, half], half),
    };
  } finally {
    await Promise.all([load.stop(), probe.stop()]);
    await server.stop();
  }
}

/**
 * The same records at the gateway and as analytics calls, in turns: what is stored meanwhile, and what else the machine does, is then
 * the same for both.
 */
async function measureDoors(setting: Setting, seconds: number): Promise<Doors> {
  // Not larger: a batch of calls has at most 500 kB.
  const plan = { batchSize: PACED_BATCH, seconds: Math.max(LEAST_SECONDS, seconds / TURNS), pace: 0 };
  const writeKey = await readWriteKey(setting.server);
  const doors: Doors = { gateway: [], calls: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    const name = `in batches of ${PACED_BATCH}, full speed`;
    doors.gateway.push(await measureLoad(setting, { name: `entries ${name}`, ...plan }));
    doors.calls.push(await measureLoad(setting, { name: `calls ${name}`, ...plan, writeKey }));
  }
  return doors;
}

/** The server key that a connector has from its creation on. */
async function readWriteKey({ url, connectorId, secret }: RunningServer): Promise<string> {
  const headers = { "svc-app-id": connectorId, "svc-access-token": secret };
  const answer = await fetch(`${url}/api/v1/app/write_keys`, { headers });
  const [first] = (await answer.json()) as { key: string }[];
  if (!first) throw new Error("The connector has no write key.");
  return first.key;
}
