import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type BatchReceiver, postBatch } from "../lib/post-batch.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import type { NeighbourData, NeighbourOrder } from "./neighbour.js";

// This file is the start of the thread that sends the records of another user. On the thread that sends hostile requests, they
// would wait for that one too.

const PAUSE_MS = 20;
const QUIET_RECORDS = 60;

const { server, token } = workerData as NeighbourData;
const agent = new Agent({ keepAlive: true });
let sending: Promise<number> | undefined;
let isOver = false;

parentPort?.on("message", async (order: NeighbourOrder) => {
  if (order === "begin") {
    isOver = false;
    sending = sendUntilOver();
  } else {
    isOver = true;
    const delayMs = order === "quiet" ? await quietDelayMs() : await sending;
    parentPort?.postMessage(delayMs);
  }
});

/** The longest delay of a record when nobody else sends anything. */
async function quietDelayMs(): Promise<number> {
  const delays: number[] = [];
  for (let index = 0; index < QUIET_RECORDS; index++) {
    delays.push(await delayMsOfRecord(server));
    await sleep(PAUSE_MS);
  }
  // The first records make tables and plans.
  return Math.max(...delays.slice(QUIET_RECORDS / 2));
}

/** The longest delay of the records that are sent until it is over. */
async function sendUntilOver(): Promise<number> {
  let longest = 0;
  do {
    longest = Math.max(longest, await delayMsOfRecord(server));
    await sleep(PAUSE_MS);
  } while (!isOver);
  return longest;
}

/** How long a record takes until it is searchable. */
async function delayMsOfRecord(receiver: BatchReceiver): Promise<number> {
  const at = new Date().toISOString();
  const entry = `{"type":"track","headers":{"Svc-Access-Token":"${token}"},"body":{"event":"Quiet"}}`;
  const since = performance.now();
  const body = `{"timestamp":"${at}","sentAt":"${at}","batch":[${entry}]}`;
  const { position, status } = await postBatch(agent, receiver, body);
  if (position === "") throw new Error(`A record of another user was answered ${status}.`);
  await waitForPosition(receiver, position);
  return performance.now() - since;
}
