import { expect, test } from "vitest";
import { CPU_PARTS, type CpuParts, divideThreads, perEntry, totalOf } from "./cpu-parts.js";
import { kindOfProcess } from "./process-kind.js";

const thread = (name: string, value: number) => ({
  name: "muster_thread_cpu_seconds_total",
  labels: { thread: name },
  value,
});

const partsOf = (ms: number) => Object.fromEntries(CPU_PARTS.map((part) => [part, ms])) as CpuParts;

test("the metric divides the time of the server's process by thread", () => {
  const metrics = [
    thread("main", 4),
    thread("pipeline", 2.5),
    thread("questions", 0.5),
    thread("admission-1", 1),
    thread("admission-2", 0.5),
  ];
  expect(divideThreads(10_000, 4_000, metrics)).toEqual({
    "main thread": 4_000,
    "pipeline thread": 2_500,
    "question thread": 500,
    "admission threads": 1_500,
    "other threads of the server": 1_500,
  });
});

test("without the metric, everything but the main thread is other threads", () => {
  expect(divideThreads(10_000, 4_000, [])).toEqual({
    "main thread": 4_000,
    "pipeline thread": 0,
    "question thread": 0,
    "admission threads": 0,
    "other threads of the server": 6_000,
  });
});

test("clocks that do not agree to the tick make no negative time", () => {
  expect(divideThreads(4_000, 4_010, [])["other threads of the server"]).toBe(0);
});

test("time is divided by the entries", () => {
  const parts = perEntry(partsOf(100), 1_000);
  expect(parts["main thread"]).toBe(100);
  expect(totalOf(parts)).toBe(100 * CPU_PARTS.length);
});

test.each([
  ["postgres: muster postgres [local] idle", "backend"],
  ["postgres: muster postgres 127.0.0.1(5432) INSERT", "backend"],
  ["postgres: checkpointer ", "checkpointer"],
  ["postgres: io worker 0", "background"],
  ["postgres: autovacuum worker postgres", "background"],
  ["/usr/lib/postgresql/bin/postgres -D data", "background"],
  ["", "background"],
])("%j is a process of the kind %s", (title, kind) => {
  expect(kindOfProcess(title)).toBe(kind);
});
