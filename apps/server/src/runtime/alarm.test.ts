import { expect, test } from "vitest";
import { Alarm } from "./alarm.js";

const never = new AbortController().signal;

/** Whether a promise is settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  const turn = new Promise((resolve) => setImmediate(() => resolve(pending)));
  return (await Promise.race([promise, turn])) !== pending;
}

test("a ring wakes who waits", async () => {
  const alarm = new Alarm();
  const waiting = alarm.wait(never);
  expect(await isSettled(waiting)).toBe(false);
  alarm.ring();
  await waiting;
});

test("a ring while nobody waits is not lost, and wakes once", async () => {
  const alarm = new Alarm();
  alarm.ring();
  alarm.ring();
  await alarm.wait(never);
  const again = alarm.wait(never);
  expect(await isSettled(again)).toBe(false);
  alarm.ring();
  await again;
});

test("time passing wakes as well", async () => {
  await new Alarm().wait(never, 5);
});

test("whoever is told to stop does not wait", async () => {
  const stopping = new AbortController();
  const waiting = new Alarm().wait(stopping.signal, 60_000);
  stopping.abort();
  await waiting;
  await new Alarm().wait(stopping.signal);
});
