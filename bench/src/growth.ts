import { startFilledServer } from "./dataset/start-filled-server.js";
import { type Grown, growthTables } from "./growth/growth-tables.js";
import { measureSearches } from "./growth/measure-searches.js";
import { measureLoad, type Setting, sendLoad } from "./ingest/measure-load.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { startChild } from "./lib/child.js";
import { withDataDir } from "./lib/start-server.js";

const LARGEST = 5_000_000;
/** The sizes, as shares of the largest. */
const SHARES = [0.02, 0.2, 1];
const WARM_UP_SECONDS = 10;
const LOAD_SECONDS = 30;
/** From this scale on, loads have their full time: fewer users need no shorter load. */
const FULL_TIME_SCALE = 0.2;
const BATCH_SIZE = 500;

/**
 * Measures what a record costs and how long searches take among 100,000, one million and five million users. `--users`
 * sets the largest number.
 */
export async function run({ scale, users = LARGEST * scale }: BenchOptions): Promise<BenchResult> {
  const grown: Grown[] = [];
  for (const share of SHARES) grown.push(await measureSize(Math.round(users * share), scale));
  return growthTables(grown);
}

async function measureSize(users: number, scale: number): Promise<Grown> {
  return withDataDir(async (dataDir) => {
    const now = Math.floor(Date.now() / 1_000);
    const options = { users, now, hasEvents: true, hasProfiles: true };
    const { server, api, fillSeconds } = await startFilledServer(dataDir, options, { MAX_BACKLOG_ENTRIES: "100000" });
    const load = startChild(new URL("./ingest/load.js", import.meta.url), []);
    const probe = startChild(new URL("./ingest/probe.js", import.meta.url), []);
    const setting: Setting = { server, load, probe, users };
    try {
      console.log(`${users.toLocaleString("en")} users were written in ${fillSeconds.toFixed(0)} s.`);
      const searches = await measureSearches(api, { users, now });
      const share = Math.min(1, scale / FULL_TIME_SCALE);
      // Fills caches. All users exist already.
      await sendLoad(setting, { batchSize: BATCH_SIZE, seconds: Math.max(3, WARM_UP_SECONDS * share), pace: 0 });
      const seconds = Math.max(5, LOAD_SECONDS * share);
      const name = users.toLocaleString("en");
      return { users, load: await measureLoad(setting, { name, batchSize: BATCH_SIZE, seconds, pace: 0 }), searches };
    } finally {
      await Promise.all([load.stop(), probe.stop()]);
      await server.stop();
    }
  });
}
