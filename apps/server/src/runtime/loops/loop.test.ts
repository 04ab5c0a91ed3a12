import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Loop } from "./loop.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function loopOf(step: (signal: AbortSignal) => Promise<number | undefined>) {
  const errors: unknown[] = [];
  const counted = vi.fn(step);
  return { loop: new Loop({ step: counted, onError: (error) => errors.push(error) }), step: counted, errors };
}

test("a step is repeated after the pause that it returned", async () => {
  const { loop, step } = loopOf(async () => 1_000);
  loop.start();
  await vi.advanceTimersByTimeAsync(999);
  expect(step).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(step).toHaveBeenCalledTimes(2);
  await loop.stop();
});

test("a step that returns 0 is repeated at once, and one that returns undefined only after a wake", async () => {
  let left = 3;
  const { loop, step } = loopOf(async () => (--left > 0 ? 0 : undefined));
  loop.start();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(step).toHaveBeenCalledTimes(3);
  loop.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(step).toHaveBeenCalledTimes(4);
  await loop.stop();
});

test("a wake during a step is not lost", async () => {
  let finish = () => {};
  const { loop, step } = loopOf(
    () =>
      new Promise((resolve) => {
        finish = () => resolve(undefined);
      }),
  );
  loop.start();
  loop.wake();
  finish();
  await vi.advanceTimersByTimeAsync(0);
  expect(step).toHaveBeenCalledTimes(2);
  finish();
  await loop.stop();
});

test("failures are reported, and the pause after each doubles up to ten seconds and starts short again after a success", async () => {
  let fails = true;
  const { loop, step, errors } = loopOf(async () => {
    if (fails) throw new Error("no");
    return undefined;
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(100 + 200 + 400);
  expect(step).toHaveBeenCalledTimes(4);
  expect(errors).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(60_000);
  const before = step.mock.calls.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(step).toHaveBeenCalledTimes(before + 1);
  fails = false;
  await vi.advanceTimersByTimeAsync(10_000);
  fails = true;
  loop.wake();
  await vi.advanceTimersByTimeAsync(100);
  expect(step).toHaveBeenCalledTimes(before + 4);
  await loop.stop();
});

test("wakes repeat a failing step at most once a second, without waiting for the whole pause", async () => {
  const { loop, step } = loopOf(async () => {
    throw new Error("no");
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(60_000);
  const before = step.mock.calls.length;
  for (let ms = 0; ms < 5_000; ms += 10) {
    loop.wake();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(step.mock.calls.length - before).toBeGreaterThanOrEqual(4);
  expect(step.mock.calls.length - before).toBeLessThanOrEqual(6);
  await loop.stop();
});

test("a stop ends the pause after a failure", async () => {
  const { loop, step } = loopOf(async () => {
    throw new Error("no");
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(step).toHaveBeenCalledTimes(1);
});

test("an error that the stop did not cause is reported, even when it comes after the stop", async () => {
  const { loop, errors } = loopOf(async (signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw new Error("not saved");
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(errors.map(String)).toEqual(["Error: not saved"]);
});

test("several wakes during a step are followed by one step", async () => {
  let finish = () => {};
  const { loop, step } = loopOf(
    () =>
      new Promise((resolve) => {
        finish = () => resolve(undefined);
      }),
  );
  loop.start();
  loop.wake();
  loop.wake();
  finish();
  await vi.advanceTimersByTimeAsync(0);
  finish();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(step).toHaveBeenCalledTimes(2);
  await loop.stop();
});

test("the first step can be put off", async () => {
  const { loop, step } = loopOf(async () => undefined);
  loop.start({ afterMs: 500 });
  await vi.advanceTimersByTimeAsync(499);
  expect(step).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(step).toHaveBeenCalledTimes(1);
  await loop.stop();
});

test("a stop aborts the signal of the present step and waits for it, and no step follows", async () => {
  let finish = () => {};
  const { loop, step, errors } = loopOf(
    (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          finish = () => reject(signal.reason);
        });
      }),
  );
  loop.start();
  let isStopped = false;
  const stopped = loop.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStopped).toBe(false);
  finish();
  await stopped;
  expect(step).toHaveBeenCalledTimes(1);
  expect(errors).toEqual([]);
});

test("a stop ends a pause", async () => {
  const { loop, step } = loopOf(async () => undefined);
  loop.start();
  await vi.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(step).toHaveBeenCalledTimes(1);
});

test("a pause that is too long for a timer is still a long pause", async () => {
  const { loop, step } = loopOf(async () => 2 ** 40);
  loop.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(step).toHaveBeenCalledTimes(1);
  await loop.stop();
});
