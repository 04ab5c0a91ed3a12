import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, parseSort } from "@muster/query";
import { typeOf } from "../dataset/generate.js";
import { MicroBatches, type MicroBatchOptions } from "../dataset/micro-batches.js";
import { answerOrders } from "../lib/answer-orders.js";
import { percentile } from "../lib/percentile.js";
import { openServersQuestions, type ProjectionStep, type Questions, type StoredEvent } from "../lib/questions.js";

/**
 * An order to replace random users as fast as the engine allows, and to search at the same time. This module is a process of
 * its own.
 */
export interface ChurnOrder extends MicroBatchOptions {
  dataDir: string;
  org: string;
  seconds: number;
  /** Seconds between reports. */
  every: number;
}

/** Rates and latencies since the report before, and the current sizes. */
export interface ChurnReport {
  second: number;
  usersPerSecond: number;
  fileBytes: number;
  logBytes: number;
  rssBytes: number;
  write: Latency;
  search: Latency;
}

export interface Latency {
  p50Ms: number;
  maxMs: number;
}

// The events of a micro-batch are removed after this many others, so that the amount of data stays the same.
const KEPT_BATCHES = 200;
const SEARCH_EVERY_MS = 100;

answerOrders(async (order: ChurnOrder) => {
  const questions = await openServersQuestions(order.dataDir);
  const end = performance.now() + order.seconds * 1_000;
  const isOver = () => performance.now() >= end;
  const times = { write: [] as number[], search: [] as number[] };
  const writing = replaceUsers(questions, order, times.write, isOver);
  const searching = search(questions, order, times.search, isOver);
  await report(order, times, isOver);
  await Promise.all([writing, searching]);
  await questions.close();
  return { isDone: true };
});

async function replaceUsers(
  questions: Questions,
  { org, users, size, sequence }: ChurnOrder,
  times: number[],
  isOver: () => boolean,
): Promise<void> {
  const batches = new MicroBatches({ users, size, sequence });
  const kept: ReturnType<typeof keysOf>[] = [];
  while (!isOver()) {
    const step = batches.next(kept.length < KEPT_BATCHES ? {} : { replaced: kept.shift() ?? [] });
    const startedAt = performance.now();
    await questions.writeChanges(org, step);
    times.push(performance.now() - startedAt);
    kept.push(keysOf(step));
  }
}

function keysOf({ changes }: ProjectionStep) {
  const events: readonly StoredEvent[] = changes[0]?.change.events ?? [];
  return events.map(({ id, event, created_at }) => ({ id, event, createdAt: Date.parse(created_at) }));
}

async function search(
  questions: Questions,
  { org }: ChurnOrder,
  times: number[],
  isOver: () => boolean,
): Promise<void> {
  const options = { target: "user" as const };
  const query = parse({ term: { plan: "pro" } }, options);
  const page = { sort: parseSort({ last_login_at: "desc" }, options), limit: 30 };
  while (!isOver()) {
    const startedAt = performance.now();
    const selection = { target: "user" as const, query, attributeTypes: { typeOf }, now: new Date() };
    await Promise.all([questions.page(org, selection, page), questions.count(org, selection)]);
    const tookMs = performance.now() - startedAt;
    times.push(tookMs);
    await sleep(Math.max(0, SEARCH_EVERY_MS - tookMs));
  }
}

async function report(
  { dataDir, size, users, every }: ChurnOrder,
  times: { write: number[]; search: number[] },
  isOver: () => boolean,
): Promise<void> {
  const startedAt = performance.now();
  for (let last = startedAt; !isOver(); ) {
    await sleep(every * 1_000);
    const now = performance.now();
    const write = times.write.splice(0);
    const report: ChurnReport = {
      second: (now - startedAt) / 1_000,
      usersPerSecond: (write.length * Math.min(size, users)) / ((now - last) / 1_000),
      ...sizesOf(join(dataDir, "questions")),
      rssBytes: process.memoryUsage.rss(),
      write: latencyOf(write),
      search: latencyOf(times.search.splice(0)),
    };
    process.send?.(report);
    last = now;
  }
}

/** Zero when the files are on another machine. */
function sizesOf(folder: string): { fileBytes: number; logBytes: number } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sum = (ending: string) =>
    names
      .filter((name) => name.endsWith(ending))
      .reduce((total, name) => total + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  return { fileBytes: sum(".duckdb"), logBytes: sum(".wal") };
}

function latencyOf(ms: readonly number[]): Latency {
  return { p50Ms: percentile(ms, 0.5), maxMs: percentile(ms, 1) };
}
