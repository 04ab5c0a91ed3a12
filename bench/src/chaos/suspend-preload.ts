/**
 * Makes SIGSTOP look like the suspension of a machine to the process that loads this module before its own
 * (`node --import`). The clock that `performance.now()` and `process.hrtime` read stands still while a machine is suspended,
 * and goes on while only a process is stopped. So the time of a stop is taken out again: a gap that is longer than any thread
 * is ever busy. Each thread loads this module, and their clocks differ by half a second at most after a stop.
 */
const SHORTEST_STOP_NS = 20_000_000_000n;
const LOOK_EVERY_MS = 500;
const NS_PER_SECOND = 1_000_000_000n;

const trueNow = performance.now.bind(performance);
const trueTime = process.hrtime.bigint.bind(process.hrtime);
let last = trueTime();
let stoppedNs = 0n;

/** The time of the machine's clock, without the time of stops. */
function bigint(): bigint {
  const present = trueTime();
  if (present - last > SHORTEST_STOP_NS) stoppedNs += present - last;
  last = present;
  return present - stoppedNs;
}

function hrtime(since?: [number, number]): [number, number] {
  const ns = bigint() - (since ? BigInt(since[0]) * NS_PER_SECOND + BigInt(since[1]) : 0n);
  return [Number(ns / NS_PER_SECOND), Number(ns % NS_PER_SECOND)];
}

process.hrtime = Object.assign(hrtime, { bigint });
performance.now = () => {
  bigint();
  return trueNow() - Number(stoppedNs) / 1e6;
};
// A thread that has nothing to do must not look like a stopped one.
setInterval(bigint, LOOK_EVERY_MS).unref();
