/**
 * Makes SIGSTOP look like the suspension of a machine to the process that loads this module before its own
 * (`node --import`). The clock that `performance.now()` reads stands still while a machine is suspended, and goes on while
 * only a process is stopped. So the time of a stop is taken out again: a gap that is longer than any thread is ever busy.
 */
const SHORTEST_STOP_MS = 20_000;
const LOOK_EVERY_MS = 500;

const trueNow = performance.now.bind(performance);
let last = trueNow();
let stoppedMs = 0;

function now(): number {
  const present = trueNow();
  if (present - last > SHORTEST_STOP_MS) stoppedMs += present - last;
  last = present;
  return present - stoppedMs;
}

performance.now = now;
// A thread that has nothing to do must not look like a stopped one.
setInterval(now, LOOK_EVERY_MS).unref();
