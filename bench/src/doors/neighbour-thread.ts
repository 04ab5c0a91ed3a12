import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type BatchReceiver, postBatch } from "../lib/post-batch.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import type { NeighbourData, NeighbourOrder } from "./neighbour.js";

// This file is the start of the thread that sends the records of another user. On the thread that sends hostile requests, they
// would wait for that one too.

const PAUSE_MS = 20;
/** Several, because what is first after a pause takes longer. */
const QUIET_RECORDS = 5;

const { server, token } = workerData as NeighbourData;
const agent = new Agent({ keepAlive: true });
let sending: Promise<number[]> | undefined;
let isOver = false;

parentPort?.on("message", async (order: NeighbourOrder) => {
  if (order === "begin") {
    isOver = false;
    sending = sendRecords(() => isOver);
  } else {
    isOver = true;
    const delays = order === "quiet" ? sendRecords((sent) => sent === QUIET_RECORDS) : sending;
    parentPort?.postMessage(await delays);
  }
});

/** Sends records one after the other, at least one, and returns their delays. */
async function sendRecords(isEnough: (sent: number) => boolean): Promise<number[]> {
  const delays: number[] = [];
  do {
    delays.push(await delayMsOfRecord(server));
    await sleep(PAUSE_MS);
  } while (!isEnough(delays.length));
  return delays;
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
