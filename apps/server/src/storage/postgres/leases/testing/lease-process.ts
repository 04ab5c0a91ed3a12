import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { openDatabase } from "../../database.js";
import { WakeUps } from "../../wake-ups.js";
import { WorkLeases } from "../work-leases.js";

// A process that takes the work "writing" and writes rows under its lease until it is killed. It prints one line when it
// has begun, and one whenever it may not write.

const [url = ""] = process.argv.slice(2);
const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
const database = openDatabase({ ...quiet, url });
const logger = pino({ level: "silent" });
const wakeUps = new WakeUps({ database, logger });
await wakeUps.start();
const leases = new WorkLeases({ database, logger, wakeUps, place: "process" });
await leases.start();
for (let written = 0; ; ) {
  try {
    const lease = await leases.take("writing");
    if (!lease) throw new Error("Another process has the work.");
    await database.transaction(async (tx) => {
      await lease.confirm(tx);
      // Long enough to be paused in the middle of it.
      await sleep(20);
      await tx.query("insert into written (at) values (clock_timestamp())", []);
    });
    if (written++ === 0) console.log("begun");
  } catch (error) {
    console.log(`refused: ${error instanceof Error ? error.name : "Error"}`);
    await sleep(100);
  }
}
