import { closeSync, copyFileSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkPromises } from "./chaos/check.js";
import { Clock } from "./chaos/clock.js";
import { createSegment } from "./chaos/create-segment.js";
import { drain } from "./chaos/drain.js";
import { Faults } from "./chaos/faults.js";
import { History } from "./chaos/history.js";
import { Load } from "./chaos/load.js";
import { Model } from "./chaos/model.js";
import { ADMIN_TOKEN, Operator } from "./chaos/operator.js";
import { Random } from "./chaos/random.js";
import { reportVerdicts } from "./chaos/report-verdicts.js";
import { Sender } from "./chaos/sender.js";
import { ServerUnderTest } from "./chaos/server-under-test.js";
import { Sink } from "./chaos/sink.js";
import { openSmallDisk, type SmallDisk } from "./chaos/small-disk.js";
import type { BenchOptions } from "./lib/bench.js";
import { freePort } from "./lib/free-port.js";

const MINUTES = 10;
const MINUTE_MS = 60_000;
const USERS = 1_000;
const SEGMENT_USERS = 60;
/** How long the full speed is measured. */
const FULL_SPEED_MS = 6_000;

/**
 * Sends records at half of full speed while the server and its PostgreSQL are killed, the disk is filled, the clock is
 * set and a connector is disturbed. Then compares what the server holds, and what the connector was told, with what was
 * acknowledged.
 */
export async function run({ minutes = MINUTES, seed = Date.now() % 100_000 }: BenchOptions): Promise<void> {
  console.log(`Faults for ${minutes} minutes, seed ${seed}. To repeat the faults: --seed ${seed}`);
  const disk = await openSmallDisk();
  if (disk.problem !== undefined) console.log(`The disk is not filled in this run: ${disk.problem}.`);
  console.log(
    "The clock that is set is that of the server's process (Date, performance.timeOrigin). PostgreSQL, the question engine and files keep the clock of the machine.",
  );
  const logPath = join(disk.folder, "server.log");
  const logFile = openSync(logPath, "a");
  let isGood = false;
  try {
    isGood = await runOn(disk, logFile, seed, minutes * MINUTE_MS);
  } finally {
    closeSync(logFile);
    if (!isGood) {
      const kept = join(tmpdir(), `muster-chaos-${seed}.log`);
      copyFileSync(logPath, kept);
      console.log(`What the server logged is in ${kept}`);
      process.exitCode = 1;
    }
    await disk.remove();
  }
}

/** Makes a run. Returns whether all promises were kept. */
async function runOn(disk: SmallDisk, logFile: number, seed: number, forMs: number): Promise<boolean> {
  const clock = new Clock(join(disk.folder, "clock"));
  const { preload, environment } = clock.start;
  const server = await ServerUnderTest.start({
    dataDir: disk.dataDir,
    environment: { ...environment, MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, PORT: String(await freePort()) },
    preload,
    logFile,
  });
  const history = new History();
  const sink = new Sink();
  const sender = new Sender(server, history);
  const operator = new Operator(server);
  const model = new Model({ users: USERS, segmentUsers: SEGMENT_USERS });
  try {
    const connectorId = await operator.install(await sink.start());
    const segmentId = await createSegment(operator);
    // Separate generators: the load draws as many numbers as time allows, and the faults must stay repeatable.
    const load = new Load({ model, sender, clock, random: new Random(seed + 1) });
    const faults = new Faults({ server, disk, clock, sink, sender, history, random: new Random(seed) });
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => faults.interrupt());
    load.start();
    await measureFullSpeed(load, sender, history);
    await faults.run(forMs, Math.min(8_000, forMs / 20));
    await faults.end();
    const waiting = await drain({ load, sender, operator, connectorId, history });
    const verdicts = await checkPromises({ model, sink, operator, segmentId });
    history.print();
    const isGood = reportVerdicts([
      ...verdicts,
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
    await server.stop();
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
