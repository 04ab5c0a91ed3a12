import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { within } from "./within.js";

const late = () => new Error("late");

test("the result or the error of the work comes through when it is in time", async () => {
  expect(await within(10_000, Promise.resolve(7), late)).toBe(7);
  await expect(within(10_000, Promise.reject(new Error("broken")), late)).rejects.toThrow("broken");
});

test("work that takes too long is late, and its own failure afterwards disturbs nobody", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  const work = sleep(30).then(() => {
    throw new Error("broken");
  });
  await expect(within(1, work, late)).rejects.toThrow("late");
  await expect(work).rejects.toThrow("broken");
  await sleep(1);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
