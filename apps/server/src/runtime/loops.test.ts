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
