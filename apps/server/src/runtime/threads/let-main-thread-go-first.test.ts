import { once } from "node:events";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { canTest } from "../../../../../testing/can-test.js";

const isLinux = canTest(process.platform === "linux", "Priorities of threads are not tested: only Linux has them.");

// A thread runs built modules.
const BUILT = new URL("../../../dist/runtime/threads/let-main-thread-go-first.js", import.meta.url).href;
const CODE = `
  const { getPriority } = require("node:os");
  import(${JSON.stringify(BUILT)}).then(({ letMainThreadGoFirst }) => {
    letMainThreadGoFirst();
    require("node:worker_threads").parentPort.postMessage(getPriority());
  });`;

test.runIf(isLinux)("a thread gets a lower priority, and the main thread keeps its own", async () => {
  const before = getPriority();
  const worker = new Worker(CODE, { eval: true });
  const [priority] = (await once(worker, "message")) as [number];
  // A higher number is a lower priority.
  expect(priority).toBe(Math.min(19, before + 5));
  expect(getPriority()).toBe(before);
});
