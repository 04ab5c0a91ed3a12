import { expect, onTestFinished, test, vi } from "vitest";
import { Alarm } from "./alarm.js";

const never = new AbortController().signal;

/** Whether a promise is settled after the present turn of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol("pending");
  const turn = new Promise((resolve) => setImmediate(() => resolve(pending)));
  return (await Promise.race([promise, turn])) !== pending;
}

test("a ring ends a wait", async () => {
  const alarm = new Alarm();
  const waiting = alarm.wait(never);
  expect(await isSettled(waiting)).toBe(false);
  alarm.ring();
  expect(await isSettled(waiting)).toBe(true);
});

test("a ring before a wait is not lost, and ends one wait", async () => {
  const alarm = new Alarm();
  alarm.ring();
  alarm.ring();
  expect(await isSettled(alarm.wait(never))).toBe(true);
  const again = alarm.wait(never);
  expect(await isSettled(again)).toBe(false);
  alarm.ring();
  expect(await isSettled(again)).toBe(true);
});

test("a wait ends when its time has passed", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = new Alarm().wait(never, 50);
  vi.advanceTimersByTime(49);
  expect(await isSettled(waiting)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await isSettled(waiting)).toBe(true);
});

test("an abort ends a wait, and after it there is no wait", async () => {
  const stopping = new AbortController();
  const waiting = new Alarm().wait(stopping.signal, 60_000);
  expect(await isSettled(waiting)).toBe(false);
  stopping.abort();
  expect(await isSettled(waiting)).toBe(true);
  expect(await isSettled(new Alarm().wait(stopping.signal))).toBe(true);
});
