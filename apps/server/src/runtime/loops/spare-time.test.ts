import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { SpareTime } from "./spare-time.js";

function workFor(milliseconds: number): void {
  for (const since = performance.now(); performance.now() - since < milliseconds; );
}

test("work is done in turn, one piece at a time", async () => {
  const spare = new SpareTime(10);
  const done: string[] = [];
  const slow = spare.run(async () => {
    await sleep(20);
    done.push("slow");
  });
  const fast = spare.run(() => done.push("fast"));
  await Promise.all([slow, fast]);
  expect(done).toEqual(["slow", "fast"]);
});

test("others have the thread for twice as long as the work had it", async () => {
  const spare = new SpareTime(10);
  const since = performance.now();
  await Promise.all(Array.from({ length: 5 }, () => spare.run(() => workFor(20))));
  // The pause after the last piece is not waited for.
  expect(performance.now() - since).toBeGreaterThanOrEqual(5 * 20 + 4 * 40 - 10);
});

test("a pause is due after a few milliseconds of work", async () => {
  // The clock of the test: on a busy machine milliseconds pass between two statements.
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const spare = new SpareTime(10);
  const due = await spare.run(async () => {
    const atFirst = spare.isPauseDue;
    now += 10;
    const later = spare.isPauseDue;
    await spare.pause();
    return [atFirst, later, spare.isPauseDue];
  });
  expect(due).toEqual([false, true, false]);
});

test("work that fails is told to its caller alone", async () => {
  const spare = new SpareTime(10);
  const failed = spare.run(() => {
    throw new Error("broken by a test");
  });
  const next = spare.run(() => "done");
  await expect(failed).rejects.toThrow("broken by a test");
  expect(await next).toBe("done");
});

test("more work than may wait is refused, and there is a place again when some is done", async () => {
  const spare = new SpareTime(2);
  const taken = [spare.run(() => 1), spare.run(() => 2)];
  await expect(spare.run(() => 3)).rejects.toMatchObject({ code: "unavailable" });
  expect(await Promise.all(taken)).toEqual([1, 2]);
  expect(await spare.run(() => 4)).toBe(4);
});
