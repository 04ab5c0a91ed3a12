import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { canTest } from "../../../../../testing/can-test.js";
import { createMetrics, type Metrics } from "../measures/metrics.js";
import { KeptThreads } from "./kept-threads.js";
import { type Thread, ThreadEnded, type ThreadKind, Threads } from "./threads.js";

interface TestCalls {
  add(one: number, other: number): number;
  log(level: "info" | "error", text: string): void;
  count(): void;
  wait(): Promise<void>;
  fail(): void;
}

// A thread runs built modules. Vitest's own options would make it load the sources of other packages.
const built = (name: string) => new URL(`../../../dist/runtime/threads/${name}.js`, import.meta.url).href;
const CODE = `
import { enterThread } from "${built("enter-thread")}";
import { threadTools } from "${built("thread-tools")}";
const thread = enterThread({
  add: (one, other) => one + other + thread.data.more,
  log: (level, text) => logger[level]({ from: "thread" }, text),
  count: () => metrics.entries.inc({ outcome: "applied" }, 3),
  wait: () => new Promise(() => {}),
  fail: () => setImmediate(() => { throw new RangeError("broken by a test"); }),
});
const { logger, metrics } = threadTools(thread);
thread.closing.add(() => logger.info("closed what was open"));
`;
const KIND: ThreadKind = {
  name: "test",
  start: new URL(`data:text/javascript,${encodeURIComponent(CODE)}`),
  limits: { maxOldGenerationSizeMb: 64 },
  execArgv: [],
};
const isLinux = canTest(process.platform === "linux", "Times of threads are not tested: only Linux has them.");

let ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
});

function open(): { threads: Threads; lines: Record<string, unknown>[]; metrics: Metrics } {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: undefined, level: "info" }, { write: (line) => lines.push(JSON.parse(line)) });
  const metrics = createMetrics();
  return { threads: new Threads({ logLevel: "info", logger, metrics }), lines, metrics };
}

function start(threads: Threads, onFailed?: (error: unknown, unanswered: number) => void): Thread<TestCalls> {
  const thread = threads.start<TestCalls>(KIND, { data: { more: 10 }, ...(onFailed ? { onFailed } : {}) });
  ends.push(() => thread.end());
  return thread;
}

async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  return (await metrics.scrapes.text()).split("\n").filter((line) => line.startsWith(name));
}

test("a thread is called with its data, its log lines and metrics are those of the process, and closing it ends it", async () => {
  const { threads, lines, metrics } = open();
  const onFailed = vi.fn();
  const { calls, close } = start(threads, onFailed);
  expect(await calls.ask("add", [1, 2])).toBe(13);
  await calls.ask("log", ["error", "from far away"]);
  expect(lines).toMatchObject([{ level: 50, from: "thread", msg: "from far away" }]);
  await calls.ask("count", []);
  metrics.entries.inc({ outcome: "applied" }, 2);
  expect(await linesOf(metrics, "muster_ingest_entries_total")).toEqual([
    'muster_ingest_entries_total{outcome="applied"} 5',
  ]);
  await close();
  await close();
  expect(lines.at(-1)).toMatchObject({ msg: "closed what was open" });
  await expect(calls.ask("add", [1, 2])).rejects.toThrow(ThreadEnded);
  // A thread that has ended is not asked for its metrics.
  expect(await linesOf(metrics, "muster_metrics_unread_total")).toEqual([]);
  expect(onFailed).not.toHaveBeenCalled();
});

test("a thread that fails is told of once with its error, is counted, and its calls fail", async () => {
  const { threads, metrics } = open();
  const onFailed = vi.fn();
  const { calls } = start(threads, onFailed);
  const waiting = calls.ask("wait", []).catch((error: unknown) => error);
  calls.tell("fail", []);
  const error = await waiting;
  expect(error).toBeInstanceOf(ThreadEnded);
  expect((error as Error).cause).toMatchObject({ message: "broken by a test" });
  await expect(calls.ask("add", [1, 2])).rejects.toThrow('The thread "test" has ended.');
  expect(onFailed.mock.calls).toEqual([[expect.objectContaining({ message: "broken by a test" }), 1]]);
  expect(await linesOf(metrics, "muster_thread_failures_total")).toEqual([
    'muster_thread_failures_total{thread="test"} 1',
  ]);
});

test("a thread that is ended at once answers no call and is no failure", async () => {
  const { threads, metrics } = open();
  const onFailed = vi.fn();
  const { calls, end } = start(threads, onFailed);
  const waiting = calls.ask("wait", []).catch((error: unknown) => error);
  await end();
  expect(await waiting).toBeInstanceOf(ThreadEnded);
  expect(onFailed).not.toHaveBeenCalled();
  expect(await linesOf(metrics, "muster_thread_failures_total")).toEqual([]);
});

test.runIf(isLinux)("the processor time of a thread that has ended stays in the sum", async () => {
  const { threads, metrics } = open();
  const thread = start(threads);
  await thread.calls.ask("add", [1, 2]);
  const seconds = async () =>
    Number((await linesOf(metrics, 'muster_thread_cpu_seconds_total{thread="test"}'))[0]?.split(" ")[1]);
  await thread.end();
  const used = await seconds();
  expect(used).toBeGreaterThan(0);
  const second = start(threads);
  await second.calls.ask("add", [1, 2]);
  expect(await seconds()).toBeGreaterThan(used);
});

test("threads that are kept are replaced when they fail, and the log says so", async () => {
  const { threads, lines } = open();
  const kept = new KeptThreads<TestCalls>({ threads, kind: KIND, data: { more: 0 }, count: 2, onChange: () => {} });
  ends.push(() => kept.end());
  kept.start();
  kept.start();
  expect(kept.running).toHaveLength(2);
  const [first] = kept.running;
  await first?.calls.ask("add", [1, 2]);
  first?.calls.tell("fail", []);
  await vi.waitUntil(() => !kept.running.includes(first!), { timeout: 20_000 });
  expect(lines.at(-1)).toMatchObject({
    level: 50,
    err: { type: "RangeError", message: "broken by a test" },
    thread: "test",
    unanswered: 0,
    msg: "a thread has failed, and is replaced",
  });
  await vi.waitUntil(() => kept.running.length === 2, { timeout: 20_000 });
  expect(await kept.running[1]?.calls.ask("add", [2, 3])).toBe(5);
  await kept.end();
  expect(kept.running).toEqual([]);
});

test("no other file of the server starts a thread", () => {
  const sources = fileURLToPath(new URL("../../", import.meta.url));
  const names = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  const starting = names.filter((name) => readFileSync(`${sources}${name}`, "utf8").includes("new Worker("));
  // The process of the connectors is a program of its own, which has neither the metrics nor the log of the server.
  const inConnectors = starting.filter((name) => name.startsWith("connector-child/"));
  expect(inConnectors).toEqual(["connector-child/start-destination-thread.ts"]);
  expect(starting.filter((name) => !inConnectors.includes(name))).toEqual(["runtime/threads/threads.ts"]);
});
