import { closeSync, copyFileSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../lib/free-port.js";
import type { StartOptions } from "../lib/start-server.js";
import { checkPromises, type Verdict } from "./check.js";
import type { Clock } from "./clock.js";
import { createSegment } from "./create-segment.js";
import { drain } from "./drain.js";
import { History } from "./history.js";
import { Load } from "./load.js";
import { Model } from "./model.js";
import { ADMIN_TOKEN, Operator } from "./operator.js";
import { Random } from "./random.js";
import { reportVerdicts } from "./report-verdicts.js";
import { Sender } from "./sender.js";
import type { ServerAddress } from "./server-address.js";
import { ServerUnderTest } from "./server-under-test.js";
import { Sink } from "./sink.js";

const USERS = 1_000;
const SEGMENT_USERS = 60;
/** How long the full speed is measured. */
const FULL_SPEED_MS = 6_000;
const TRUE_CLOCK: Pick<Clock, "during"> = { during: () => ({ least: 0, most: 0 }) };

interface LogOptions {
  /** Where the log of the server is written. */
  logFolder: string;
  /** In the name of the log, which is kept when a promise was broken. */
  name: string;
  seed: number;
}

interface WatchOptions {
  seed: number;
  /** The connector that gets all messages. Without it, an ordinary one. */
  sink?: Sink;
  /** The clock of the server. Without it, the clock of the machine. */
  clock?: Pick<Clock, "during">;
}

export interface UnderLoadOptions
  extends Pick<StartOptions, "dataDir" | "environment" | "preload">,
    LogOptions,
    WatchOptions {}

/** A server that gets records all the time, and everything that watches it. */
export interface LoadedServer<Server extends ServerAddress = ServerUnderTest> {
  server: Server;
  history: History;
  sink: Sink;
  sender: Sender;
  operator: Operator;
  load: Load;
  /** The connector that gets all messages. */
  connectorId: string;
}

/**
 * Starts a server and sends records to it at half of full speed while `disturb` makes a case. Then compares what the
 * server holds, and what a connector was told, with what was acknowledged. `disturb` returns further verdicts. Returns
 * whether all promises were kept.
 */
export async function underLoad(
  options: UnderLoadOptions,
  disturb: (loaded: LoadedServer) => Promise<Verdict[]>,
): Promise<boolean> {
  const { dataDir, environment = {}, preload } = options;
  return withLog(options, async (logFile) => {
    const server = await ServerUnderTest.start({
      dataDir,
      environment: { ...environment, MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, PORT: String(await freePort()) },
      ...(preload ? { preload } : {}),
      logFile,
    });
    try {
      return await loadServer(server, options, disturb);
    } finally {
      await server.stop();
    }
  });
}

/** Opens a file that servers log to. It is kept unless `run` returns true. */
export async function withLog(
  { logFolder, name, seed }: LogOptions,
  run: (logFile: number) => Promise<boolean>,
): Promise<boolean> {
  const logPath = join(logFolder, "server.log");
  const logFile = openSync(logPath, "a");
  let isGood = false;
  try {
    isGood = await run(logFile);
  } finally {
    closeSync(logFile);
    if (!isGood) {
      const kept = join(tmpdir(), `muster-chaos-${name}-${seed}.log`);
      copyFileSync(logPath, kept);
      console.log(`What the server logged is in ${kept}`);
    }
  }
  return isGood;
}

/** Does the same as `underLoad` with servers that run already. */
export async function loadServer<Server extends ServerAddress>(
  server: Server,
  { seed, sink = new Sink(), clock = TRUE_CLOCK }: WatchOptions,
  disturb: (loaded: LoadedServer<Server>) => Promise<Verdict[]>,
): Promise<boolean> {
  const history = new History();
  const sender = new Sender(server, history);
  const operator = new Operator(server);
  const model = new Model({ users: USERS, segmentUsers: SEGMENT_USERS });
  try {
    const connectorId = await operator.install(await sink.start());
    const segmentId = await createSegment(operator);
    // A generator of its own: the load draws as many numbers as time allows, and the case must stay repeatable.
    const load = new Load({ model, sender, clock, random: new Random(seed + 1) });
    load.start();
    await measureFullSpeed(load, sender, history);
    const further = await disturb({ server, history, sink, sender, operator, load, connectorId });
    const waiting = await drain({ load, sender, operator, connectorId, history });
    const verdicts = await checkPromises({ model, sink, operator, segmentId });
    history.print();
    const isGood = reportVerdicts([
      ...verdicts,
      ...further,
      { promise: "messages that are not delivered at the end", checked: sink.messages, broken: waiting },
      { promise: "requests refused for good", checked: load.acknowledged, broken: sender.refused },
    ]);
    console.log(
      `${load.acknowledged} entries were acknowledged, ${load.crossings} crossings of the segment's border were evaluated, and the connector got ${sink.messages} messages, ${sink.repeated} of them again.`,
    );
    return isGood;
  } finally {
    sender.giveUp();
    sink.close();
    sender.close();
  }
}

async function measureFullSpeed(load: Load, sender: Sender, history: History): Promise<void> {
  await sleep(FULL_SPEED_MS / 2);
  const before = load.acknowledged;
  await sleep(FULL_SPEED_MS);
  if (load.acknowledged === before) throw new Error(`Nothing is acknowledged. ${sender.refused[0] ?? ""}`);
  const speed = ((load.acknowledged - before) * 1_000) / FULL_SPEED_MS;
  load.pace = speed / 2;
  const crossings = `${load.crossings} crossings of the segment's border`;
  history.note(
    `full speed is ${speed.toFixed(0)} entries/s and ${crossings}; the load is now ${load.pace.toFixed(0)} entries/s`,
  );
}
