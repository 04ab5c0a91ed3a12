import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { call } from "./call.js";
import type { ProbedPath } from "./get-probe.js";

// A thread of its own, so that neither the load nor the connector of the benchmark delays its clock.
const EVERY_MS = 50;

const { url, headers } = workerData as ProbedPath;
const agent = new Agent({ keepAlive: true });
const latenciesMs: number[] = [];
let isStopping = false;
parentPort?.once("message", () => {
  isStopping = true;
});
while (!isStopping) {
  const begunAt = performance.now();
  const answer = await call(agent, url, { method: "GET", headers }).catch(() => undefined);
  // Without an answer the server is down, and that time is measured elsewhere.
  if (answer?.status === 200) latenciesMs.push(performance.now() - begunAt);
  await sleep(EVERY_MS);
}
agent.destroy();
parentPort?.postMessage(latenciesMs);
