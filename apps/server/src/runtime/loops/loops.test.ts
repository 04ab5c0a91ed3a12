import { expect, test } from "vitest";
import { Loops } from "./loops.js";

test("keys are worked on at the same time, and the steps of one key one after the other", async () => {
  const log: string[] = [];
  const finish = new Map<string, () => void>();
  const left = new Map([
    ["a", 2],
    ["b", 1],
  ]);
  const loops = new Loops({
    async step(key) {
      const waiting = left.get(key) ?? 0;
      if (waiting === 0) return false;
      left.set(key, waiting - 1);
      log.push(`${key} begins`);
      await new Promise<void>((resolve) => finish.set(key, resolve));
      log.push(`${key} ends`);
      return true;
    },
    onError: (error) => log.push(String(error)),
  });
  loops.wake("a");
  expect(log).toEqual([]);
  loops.start();
  loops.wake("a");
  loops.wake("b");
  expect(log).toEqual(["a begins", "b begins"]);
  finish.get("a")?.();
  await expect.poll(() => log).toEqual(["a begins", "b begins", "a ends", "a begins"]);
  const stopped = loops.stop();
  finish.get("a")?.();
  finish.get("b")?.();
  await stopped;
  expect(log.slice(4).sort()).toEqual(["a ends", "b ends"]);
  loops.wake("a");
  expect(log).toHaveLength(6);
});

test("a failure is reported with its key", async () => {
  const failed: string[] = [];
  const loops = new Loops({
    step: async () => {
      throw new Error("no");
    },
    onError: (_error, key) => failed.push(key),
  });
  loops.start();
  loops.wake("a");
  await expect.poll(() => failed).toContain("a");
  await loops.stop();
});

test("a key without work is forgotten, and its next wake is worked off all the same", async () => {
  let waiting = 1;
  const steps: string[] = [];
  const loops = new Loops({
    async step(key) {
      steps.push(key);
      return waiting-- > 0;
    },
    onError: (error) => steps.push(String(error)),
  });
  loops.start();
  loops.wake("a");
  await expect.poll(() => loops.size).toBe(0);
  expect(steps).toEqual(["a", "a"]);
  waiting = 0;
  loops.wake("a");
  await expect.poll(() => loops.size).toBe(0);
  expect(steps).toEqual(["a", "a", "a"]);
  await loops.stop();
});

test("a wake that comes while the last piece is looked for is not lost", async () => {
  let finish = () => {};
  let steps = 0;
  const loops = new Loops({
    step: () =>
      new Promise((resolve) => {
        steps += 1;
        finish = () => resolve(false);
      }),
    onError: () => {},
  });
  loops.start();
  loops.wake("a");
  loops.wake("a");
  finish();
  await expect.poll(() => steps).toBe(2);
  finish();
  await expect.poll(() => loops.size).toBe(0);
  await loops.stop();
});
