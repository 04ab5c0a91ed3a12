import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { canTest, isInstalled } from "../../../../testing/can-test.js";
import { freePort } from "../../../../testing/free-port.js";
import { Connector } from "../connector.js";
import type { Context } from "../context/context.js";
import type { JobHandler } from "../jobs/run-job.js";
import { type FakePlatform, startFakePlatform } from "../testing/index.js";
import { bullmqQueue } from "./bullmq-queue.js";
import { MemoryQueue } from "./memory-queue.js";
import type { QueueAdapter } from "./queue-adapter.js";

const manifest = { name: "Test", version: "1.0.0", settings_sections: [] };

let platform: FakePlatform;
let connector: Connector;
beforeEach(async () => {
  platform = await startFakePlatform();
});
afterEach(async () => {
  await connector.close();
  await platform.close();
});

function open(queue: QueueAdapter, jobs: Record<string, JobHandler>): Connector {
  connector = new Connector({
    manifest,
    handlers: { jobs },
    queue,
    organizations: [platform.url],
    clientConfig: { onLog: () => {} },
  });
  return connector;
}

function behavesAsAQueue(createQueue: () => QueueAdapter): void {
  it("runs a job with its own context", async () => {
    const seen: unknown[] = [];
    open(createQueue(), {
      greet: async (ctx, payload: { name: string }) => {
        await ctx.client.asUser({ external_id: "1" }).traits({ greeted: payload.name });
        seen.push(payload);
      },
    });
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("greet", { name: "Ada" });
    expect(seen).toEqual([]);
    await connector.startWorker();
    await vi.waitFor(() => expect(seen).toEqual([{ name: "Ada" }]), { timeout: 5_000 });
    expect(platform.entries).toMatchObject([{ type: "traits", body: { greeted: "Ada" } }]);
  });

  it("tries a failing job three more times", async () => {
    const attempts = vi.fn(() => Promise.reject(new Error("no")));
    const done = vi.fn();
    open(createQueue(), { fail: attempts, done });
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("fail", {});
    await connector.startWorker();
    await vi.waitFor(() => expect(attempts).toHaveBeenCalledTimes(4), { timeout: 5_000 });
    await ctx.enqueue("done", {});
    await vi.waitFor(() => expect(done).toHaveBeenCalledOnce(), { timeout: 5_000 });
    expect(attempts).toHaveBeenCalledTimes(4);
  });

  it("aborts a job that takes too long, and tries it again", async () => {
    const attempts = vi.fn(() => (attempts.mock.calls.length === 1 ? new Promise(() => {}) : Promise.resolve()));
    open(createQueue(), { slow: attempts });
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("slow", {}, { ttl: 30 });
    await connector.startWorker();
    await vi.waitFor(() => expect(attempts).toHaveBeenCalledTimes(2), { timeout: 5_000 });
  });

  it("does not abort a job whose ttl is longer than a timer can be", async () => {
    const done = vi.fn();
    const slow = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 50)).then(done));
    open(createQueue(), { slow });
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("slow", {}, { ttl: 2 ** 31 });
    await connector.startWorker();
    await vi.waitFor(() => expect(done).toHaveBeenCalled(), { timeout: 5_000 });
    expect(slow).toHaveBeenCalledOnce();
  });

  it("waits for the delay of a job, given as time or as milliseconds", async () => {
    const seen: string[] = [];
    open(createQueue(), { note: (_ctx, name: string) => void seen.push(name) });
    const ctx = await connector.contextFor(platform.credentials);
    await connector.startWorker();
    await ctx.enqueue("note", "third", { delay: new Date(Date.now() + 400) });
    await ctx.enqueue("note", "second", { delay: 100 });
    await ctx.enqueue("note", "first");
    await vi.waitFor(() => expect(seen).toEqual(["first", "second", "third"]), { timeout: 5_000 });
  });

  it("runs jobs by their priority, and only those of its queue", async () => {
    const seen: string[] = [];
    open(createQueue(), { note: (_ctx, name: string) => void seen.push(name) });
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("note", "late", { priority: 5 });
    await ctx.enqueue("note", "early", { priority: 1 });
    await ctx.enqueue("note", "elsewhere", { queueName: "other" });
    await connector.startWorker();
    await vi.waitFor(() => expect(seen).toEqual(["early", "late"]), { timeout: 5_000 });
    await connector.startWorker("other");
    await vi.waitFor(() => expect(seen).toEqual(["early", "late", "elsewhere"]), { timeout: 5_000 });
  });
}

describe("a job with options that cannot be used", () => {
  it.each([
    ["a delay that is not a time", { delay: new Date("soon") }, "`delay`"],
    ["a delay that is not a number", { delay: Number.NaN }, "`delay`"],
    ["a ttl of 0", { ttl: 0 }, "`ttl`"],
    ["a ttl that is not a number", { ttl: Number.NaN }, "`ttl`"],
    ["a negative priority", { priority: -1 }, "`priority`"],
    ["a priority between two numbers", { priority: 1.5 }, "`priority`"],
    ["a queue without a name", { queueName: "" }, "`queueName`"],
  ])("is refused: %s", async (_case, options, name) => {
    const run = vi.fn();
    open(new MemoryQueue(), { run });
    const ctx = await connector.contextFor(platform.credentials);
    await expect(ctx.enqueue("run", {}, options)).rejects.toThrow(name);
    await connector.startWorker();
    expect(run).not.toHaveBeenCalled();
  });
});

describe("the queue in memory", () => {
  behavesAsAQueue(() => new MemoryQueue());

  it("runs as many jobs at the same time as it is told", async () => {
    let isOpen = false;
    const started: number[] = [];
    const wait = async (_ctx: Context, number: number) => {
      started.push(number);
      await vi.waitFor(() => expect(isOpen).toBe(true), { timeout: 10_000 });
    };
    open(new MemoryQueue({ concurrency: 2 }), { wait });
    const ctx = await connector.contextFor(platform.credentials);
    await connector.startWorker();
    for (const number of [1, 2, 3]) await ctx.enqueue("wait", number);
    await vi.waitFor(() => expect(started).toEqual([1, 2]), { timeout: 10_000 });
    isOpen = true;
    await vi.waitFor(() => expect(started).toEqual([1, 2, 3]), { timeout: 10_000 });
  });

  it("waits longer than one timer can, for a job that is due in months", async () => {
    open(new MemoryQueue(), {});
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const queue = new MemoryQueue();
    const run = vi.fn(async () => {});
    await queue.process("q", run);
    const dayMs = 86_400_000;
    const job = { name: "late", payload: {}, credentials: platform.credentials, ttlMs: undefined };
    await queue.add("q", job, { delayMs: 60 * dayMs, priority: undefined });
    await vi.advanceTimersByTimeAsync(59 * dayMs);
    expect(run).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(dayMs);
    expect(run).toHaveBeenCalledOnce();
  });

  it("warns that it is deprecated", async () => {
    vi.resetModules();
    const fresh = await import("./memory-queue.js");
    const warning = once(process, "warning");
    open(new fresh.MemoryQueue(), {});
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("any", {});
    expect((await warning)[0]).toMatchObject({ name: "DeprecationWarning", code: "MUSTER_MEMORY_QUEUE" });
  });
});

const canTestRedis = canTest(
  isInstalled("redis-server"),
  "The queue in Redis is not tested: redis-server is not installed. To test it, install it (apt install redis-server).",
);

describe.runIf(canTestRedis)("the queue in Redis", () => {
  let redis: ChildProcess;
  let folder: string;
  let port: number;
  let prefix: string;
  let counter = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "redis-"));
    port = await freePort();
    const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder];
    redis = spawn("redis-server", flags, { stdio: "ignore" });
    await vi.waitFor(() => reach(port), { timeout: 10_000 });
  });
  afterAll(async () => {
    redis.kill();
    await once(redis, "exit");
    await rm(folder, { recursive: true });
  });

  const createQueue = () => {
    counter += 1;
    prefix = `test-${counter}`;
    return bullmqQueue({ connection: { host: "127.0.0.1", port }, prefix, backoffMs: 5 });
  };
  behavesAsAQueue(createQueue);

  it("removes jobs that succeeded and keeps those that failed after all retries", async () => {
    open(createQueue(), { good: () => {}, bad: () => Promise.reject(new Error("no")) });
    const ctx = await connector.contextFor(platform.credentials);
    await ctx.enqueue("good", {});
    await ctx.enqueue("bad", {});
    await connector.startWorker();
    const queue = new Queue("queueApp", { connection: { host: "127.0.0.1", port }, prefix });
    const counts = () => queue.getJobCounts("completed", "failed", "waiting", "delayed", "active");
    await vi.waitFor(
      async () => expect(await counts()).toEqual({ completed: 0, failed: 1, waiting: 0, delayed: 0, active: 0 }),
      { timeout: 5_000 },
    );
    await queue.close();
  });
});

async function reach(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}
