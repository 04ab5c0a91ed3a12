import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { openDatabase } from "../../database.js";
import { WakeUps } from "../../wake-ups.js";
import { type LeaseClock, SYSTEM_CLOCK } from "../lease-clock.js";
import { WorkLeases } from "../work-leases.js";

// A process that takes the work "writing" and writes rows under its lease until it is killed. It prints one line when it
// has begun, one whenever it may not write, and "calls" whenever it believes in its lease without asking the database. With
// "suspended", a pause of the process stops its monotonic clock, as a suspension of the machine does.

const [url = "", mode] = process.argv.slice(2);

/** Never goes on by more than a moment between two looks, and somebody looks all the time. */
function pausedClock(): LeaseClock {
  let at = 0;
  let seen = performance.now();
  const monotonicMs = () => {
    const now = performance.now();
    at += Math.min(now - seen, 50);
    seen = now;
    return at;
  };
  setInterval(monotonicMs, 5).unref();
  return { monotonicMs, wallMs: () => Date.now() };
}
const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
const database = openDatabase({ ...quiet, url });
const logger = pino({ level: "silent" });
const wakeUps = new WakeUps({ database, logger });
await wakeUps.start();
const clock = mode === "suspended" ? pausedClock() : SYSTEM_CLOCK;
const leases = new WorkLeases({ database, logger, wakeUps, place: "process", clock });
await leases.start();
for (let written = 0; ; ) {
  try {
    const lease = await leases.take("writing");
    if (!lease) throw new Error("Another process has the work.");
    if (lease.isValid()) console.log("calls");
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
