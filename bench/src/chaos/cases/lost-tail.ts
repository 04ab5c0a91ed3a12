import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchOptions } from "../../lib/bench.js";
import { hasProgram } from "../../lib/has-program.js";
import { secondsSince } from "../../lib/seconds-since.js";
import { withDataDir } from "../../lib/start-server.js";
import type { ChaosCase } from "../chaos-case.js";
import type { Verdict } from "../check.js";
import { NatsProcess } from "../nats-process.js";
import { type LoadedServer, underLoad } from "../under-load.js";

const LOST_MESSAGES = 100;
const LIMIT_MS = 120_000;
/** How long the load goes on with the new stream. */
const AFTERWARDS_MS = 20_000;

export const lostTail: ChaosCase = {
  name: "lost-tail",
  description: "NATS is killed, its last 100 messages are cut off, and the operator begins a new stream",
  run,
};

async function run({ seed = Date.now() % 100_000 }: BenchOptions): Promise<boolean> {
  if (!hasProgram("nats-server")) {
    console.log("This case is left out: nats-server is not installed (Debian: apt-get install nats-server).");
    return true;
  }
  return withDataDir(async (folder) => {
    const nats = await NatsProcess.start(folder);
    try {
      const start = {
        dataDir: join(folder, "data"),
        logFolder: folder,
        name: lostTail.name,
        seed,
        environment: { NATS_URL: nats.url, NATS_STREAMS: "1" },
      };
      return await underLoad(start, (loaded) => cutOff(loaded, nats));
    } finally {
      await nats.kill();
    }
  });
}

async function cutOff(loaded: LoadedServer, nats: NatsProcess): Promise<Verdict[]> {
  const { history, load, sender, operator, server } = loaded;
  const { stream } = await operator.call<{ stream: string }>("GET", "/ingestion/log");
  await nats.copyStore();
  const before = load.acknowledgedRequests;
  await until(() => load.acknowledgedRequests >= before + LOST_MESSAGES, "a hundred messages are acknowledged");
  // What is lost on the disk of NATS before it is applied nobody can bring back. So all of it is applied first.
  await load.pause();
  const last = await sender.callAs("last before the loss", "/me/traits", "last before the loss", { is_last: true });
  if (last) await sender.waitFor(last.position);
  const lost = load.acknowledgedRequests - before + 1;
  await nats.kill();
  await nats.restoreStore();
  await nats.start();
  history.note(`NATS was killed, and its last ${lost} messages in ${stream} are gone`);

  const begunAt = performance.now();
  load.resume();
  const isNoticed = async () => (await operator.call<{ is_truncated: boolean }>("GET", "/ingestion/log")).is_truncated;
  await untilAsync(isNoticed, "the loss is noticed");
  const status = await (await fetch(`${server.apiUrl}/status`)).text();
  history.note(`the loss is noticed after ${secondsSince(begunAt).toFixed(1)} s; records are refused`);
  const acknowledged = load.acknowledgedRequests;
  await sleep(3_000);
  const meanwhile = load.acknowledgedRequests - acknowledged;

  const renewAt = performance.now();
  for (;;) {
    const closing = await operator.call<{ state: string }[]>("POST", "/ingestion/log/renew", { all: true });
    if (closing.every(({ state }) => state !== "closing")) break;
    await sleep(500);
  }
  await until(() => load.acknowledgedRequests > acknowledged + meanwhile, "records are accepted again");
  history.note(`a new stream takes records ${secondsSince(renewAt).toFixed(1)} s after \`muster log renew --all\``);
  await sleep(AFTERWARDS_MS);
  return [
    {
      promise: "requests that were acknowledged by the damaged stream",
      checked: acknowledged,
      broken: meanwhile === 0 ? [] : [`${meanwhile} in three seconds`],
    },
    {
      promise: "places that do not tell of the loss",
      checked: 1,
      broken: /lost/.test(status) ? [] : ["/status does not tell of it"],
    },
  ];
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  await untilAsync(async () => isTrue(), what);
}

async function untilAsync(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`It did not happen in time: ${what}.`);
    await sleep(100);
  }
}
