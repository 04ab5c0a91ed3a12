import { join } from "node:path";
import type { BenchOptions } from "../../lib/bench.js";
import type { ChaosCase } from "../chaos-case.js";
import { Clock } from "../clock.js";
import { Faults } from "../faults.js";
import { Random } from "../random.js";
import { openSmallDisk, type SmallDisk } from "../small-disk.js";
import { underLoad } from "../under-load.js";

const MINUTES = 10;
const MINUTE_MS = 60_000;

export const faults: ChaosCase = {
  name: "faults",
  description:
    "the server and its PostgreSQL are killed, the disk is filled, the clock is set and a connector is disturbed, at random",
  run,
};

async function run({ minutes = MINUTES, seed = Date.now() % 100_000 }: BenchOptions): Promise<boolean> {
  console.log(`Faults for ${minutes} minutes, seed ${seed}. To repeat the faults: --seed ${seed}`);
  const disk = await openSmallDisk();
  if (disk.problem !== undefined) console.log(`The disk is not filled in this run: ${disk.problem}.`);
  console.log(
    "The clock that is set is that of the server's process (Date, performance.timeOrigin). PostgreSQL, the question engine and files keep the clock of the machine.",
  );
  try {
    return await runOn(disk, seed, minutes * MINUTE_MS);
  } finally {
    await disk.remove();
  }
}

async function runOn(disk: SmallDisk, seed: number, forMs: number): Promise<boolean> {
  const clock = new Clock(join(disk.folder, "clock"));
  const start = { ...clock.start, dataDir: disk.dataDir, logFolder: disk.folder, name: "faults", seed, clock };
  return underLoad(start, async ({ server, sink, sender, history }) => {
    const making = new Faults({ server, disk, clock, sink, sender, history, random: new Random(seed) });
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => making.interrupt());
    await making.run(forMs, Math.min(8_000, forMs / 20));
    await making.end();
    return [];
  });
}
