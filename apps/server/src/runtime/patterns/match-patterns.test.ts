import { pino } from "pino";
import { expect, test } from "vitest";
import { createMetrics } from "../measures/metrics.js";
import { Threads } from "../threads/threads.js";
import { matchPatterns } from "./match-patterns.js";

const threads = new Threads({ logLevel: "silent", logger: pino({ level: "silent" }), metrics: createMetrics() });

test("texts match or do not, as with ordinary regular expressions", async () => {
  const tests = [
    { pattern: "^[a-z_]+$", text: "field_name" },
    { pattern: "^[a-z_]+$", text: "Field name" },
    { pattern: "^(?!id$)\\w+", text: "id" },
    { pattern: "é|ß", text: "Straße" },
  ];
  expect(await matchPatterns(threads, tests)).toEqual([true, false, false, true]);
  expect(await matchPatterns(threads, [])).toEqual([]);
});

test("an expression that backtracks for ever is given up, and the event loop goes on meanwhile", async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await matchPatterns(threads, [{ pattern: "^(a+)+$", text: `${"a".repeat(1_000)}!` }])).toBeUndefined();
  clearInterval(timer);
  expect(turns).toBeGreaterThan(20);
  expect(await matchPatterns(threads, [{ pattern: "a", text: "a" }])).toEqual([true]);
});

test("an expression is data and is not run as code", async () => {
  const pattern = '").constructor.constructor("process.exit()")(); //';
  expect(await matchPatterns(threads, [{ pattern, text: "x" }])).toBeUndefined();
});

test("an expression that cannot be compiled has no result", async () => {
  expect(await matchPatterns(threads, [{ pattern: "(", text: "x" }])).toBeUndefined();
});
