import { setTimeout as sleep } from "node:timers/promises";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult, ResultTable } from "./lib/bench-result.js";
import { type Child, startChild } from "./lib/child.js";
import { freePort } from "./lib/free-port.js";
import { goalMark } from "./lib/goal-mark.js";
import { percentile } from "./lib/percentile.js";
import { readMetrics } from "./lib/read-metrics.js";
import type { Cell } from "./lib/render-table.js";
import { secondsSince } from "./lib/seconds-since.js";
import { type RunningServer, startServer, withDataDir } from "./lib/start-server.js";
import type { LoadOrder, LoadReport } from "./notify/load.js";
import type { Manner, SinkCount, SinkReceipts } from "./notify/sink.js";
import { stageTable, stageTimes } from "./notify/stage-times.js";

const QUEUED_USERS = 60_000;
const PACE = 1_000;
const PACED_SECONDS = 30;
const GOALS = { delayMs: 60, perSecond: 15_000 };
const ADMIN_TOKEN = "operator of the benchmark";

interface Setting {
  server: RunningServer;
  load: Child;
  sink: Child;
  /** The id of the installed sink. */
  connectorId: string;
}

/** Measures messages a second to a connector, the delay of a change, and whether any is lost when the server is killed. */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  return withDataDir(async (dataDir) => {
    const environment = { MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, PORT: String(await freePort()) };
    const start = () => startServer({ dataDir, environment });
    const load = startChild(new URL("./notify/load.js", import.meta.url), []);
    const sink = startSink("fast");
    const others = [startSink("slow"), startSink("broken")];
    const setting: Setting = { server: await start(), load, sink, connectorId: "" };
    try {
      setting.connectorId = await install(setting.server, sink);
      const queue = await measureThroughput(setting, Math.round(QUEUED_USERS * scale));
      const paced = Math.round(PACE * Math.max(5, PACED_SECONDS * scale));
      const alone = await measureLatency("alone", setting, 1_000_000, paced);
      const killed = await measureKill(setting, 2_000_000, paced, start);
      for (const other of others) await install(setting.server, other);
      const beside = await measureLatency("beside a slow and a broken connector", setting, 3_000_000, paced);
      return {
        tables: [goalTable(alone, queue), queue.table, delayTable([alone, beside]), alone.stages, killed.table],
        failures: killed.lost === 0 ? [] : [`${killed.lost} messages were lost by the kill.`],
      };
    } finally {
      await Promise.all([load, sink, ...others].map((child) => child.stop()));
      await setting.server.stop();
    }
  });
}

interface Throughput {
  perSecond: number;
  table: ResultTable;
}

/** The time from the acknowledgement of a change to its arrival. */
interface Delay {
  p50Ms: number;
  row: Cell[];
  /** Where the delay comes from. */
  stages: ResultTable;
}

function goalTable({ p50Ms }: Delay, { perSecond }: Throughput): ResultTable {
  return {
    headings: ["what must be shown", "measured", "goal", ""],
    rows: [
      [
        `acknowledged to received, p50 at ${PACE.toLocaleString("en")} entries/s`,
        `${p50Ms.toFixed(0)} ms`,
        `≤ ${GOALS.delayMs} ms`,
        goalMark(p50Ms <= GOALS.delayMs),
      ],
      [
        "messages/s to one connector",
        perSecond.toLocaleString("en", { maximumFractionDigits: 0 }),
        `≥ ${GOALS.perSecond.toLocaleString("en")}`,
        goalMark(perSecond >= GOALS.perSecond),
      ],
    ],
  };
}

function delayTable(delays: readonly Delay[]): ResultTable {
  return {
    headings: ["delay of a change", "entries/s", "entries", "p50 ms", "p95 ms", "p99 ms", "longest ms", "lost"],
    rows: delays.map(({ row }) => row),
  };
}

/** Measures how fast a long queue is delivered. */
async function measureThroughput(setting: Setting, users: number): Promise<Throughput> {
  const { server, connectorId } = setting;
  await operate(server, "PUT", `/${connectorId}`, { enabled: false, when_disabled: "hold" });
  await send(setting, { first: 0, users, batchSize: 500, pace: 0 });
  await waitFor(async () => {
    const { queued_messages } = await operate<{ queued_messages: number }>(server, "GET", `/${connectorId}/delivery`);
    return queued_messages === users;
  });
  const startedAt = performance.now();
  await operate(server, "PUT", `/${connectorId}`, { enabled: true });
  await waitFor(async () => (await countOf(setting)).distinct >= users, 50);
  const seconds = secondsSince(startedAt);
  const perSecond = users / seconds;
  return {
    perSecond,
    table: { headings: ["queued messages", "seconds", "messages/s"], rows: [[users, seconds, perSecond]] },
  };
}

/** Measures the time from the acknowledgement of a change to its arrival. */
async function measureLatency(circumstance: string, setting: Setting, first: number, users: number): Promise<Delay> {
  const before = await readMetrics(setting.server);
  const report = await send(setting, { first, users, batchSize: 10, pace: PACE });
  const { lags, missing } = await collect(setting, report);
  const times = stageTimes(before, await readMetrics(setting.server), setting.connectorId);
  const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => percentile(lags, share)) as [number, number, number];
  return {
    p50Ms,
    row: [circumstance, users / report.seconds, users, p50Ms, p95Ms, p99Ms, Math.max(...lags), missing],
    stages: stageTable(times, report.seconds, p50Ms),
  };
}

/** Measures the same while the server is killed and started again. */
async function measureKill(
  setting: Setting,
  first: number,
  users: number,
  start: () => Promise<RunningServer>,
): Promise<{ table: ResultTable; lost: number }> {
  const sending = send(setting, { first, users, batchSize: 10, pace: PACE });
  await sleep((users / PACE / 2) * 1_000);
  await setting.server.kill();
  const killedAt = performance.now();
  // The server prints credentials only at its first start.
  const { connectorId, secret } = setting.server;
  setting.server = { ...(await start()), connectorId, secret };
  const restartSeconds = secondsSince(killedAt);
  const report = await sending;
  const { lags, missing, repeated } = await collect(setting, report);
  const table = {
    headings: ["killed and restarted: entries", "restart s", "p50 ms", "longest ms", "sent twice", "lost"],
    rows: [[users, restartSeconds, percentile(lags, 0.5), Math.max(...lags), repeated, missing]],
  };
  return { table, lost: missing };
}

async function send(
  { server, load }: Setting,
  order: Pick<LoadOrder, "first" | "users" | "batchSize" | "pace">,
): Promise<LoadReport> {
  const { url, connectorId, secret } = server;
  load.send({ url, connectorId, secret, ...order });
  return load.next<LoadReport>();
}

interface Collected {
  lags: number[];
  missing: number;
  repeated: number;
}

/** Compares what the sink received with what was acknowledged, once everything has arrived or a minute has passed. */
async function collect(setting: Setting, { acknowledged }: LoadReport): Promise<Collected> {
  const expected = acknowledged.reduce((sum, [, count]) => sum + count, 0);
  const [from] = acknowledged.map(([first]) => first).sort((one, other) => one - other);
  let receipts: SinkReceipts;
  let arrived = new Map<number, number>();
  const deadline = performance.now() + 60_000;
  do {
    await sleep(250);
    setting.sink.send({ ask: "receipts" });
    receipts = await setting.sink.next<SinkReceipts>();
    arrived = new Map(receipts.receivedAt.filter(([n]) => n >= (from ?? 0)));
  } while (arrived.size < expected && performance.now() < deadline);
  const lags: number[] = [];
  let missing = 0;
  for (const [first, count, at] of acknowledged) {
    for (let n = first; n < first + count; n++) {
      const receivedAt = arrived.get(n);
      if (receivedAt === undefined) missing++;
      // A change may arrive before its acknowledgement.
      else lags.push(Math.max(0, receivedAt - at));
    }
  }
  return { lags, missing, repeated: receipts.messages - receipts.distinct };
}

async function countOf({ sink }: Setting): Promise<SinkCount> {
  sink.send({ ask: "count" });
  return sink.next<SinkCount>();
}

function startSink(manner: Manner): Child {
  return startChild(new URL("./notify/sink.js", import.meta.url), [manner]);
}

/** Installs a sink as a connector and returns its id. */
async function install(server: RunningServer, sink: Child): Promise<string> {
  const { port } = await sink.next<{ port: number }>();
  const url = `http://127.0.0.1:${port}`;
  return (await operate<{ id: string }>(server, "POST", "/connectors/install", { url })).id;
}

async function operate<Answer>({ url }: RunningServer, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

async function waitFor(condition: () => Promise<boolean>, everyMs = 200): Promise<void> {
  while (!(await condition())) await sleep(everyMs);
}
