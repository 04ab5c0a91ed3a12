import { expect, test } from "vitest";
import { ImportPace, restMs } from "./import-pace.js";

test.for([
  [100, 0.5, 100],
  [100, 0.25, 300],
  [100, 0.8, 25],
  [100, 1, 0],
] as const)("after %d ms of work with a share of %d, an import rests for %d ms", ([worked, share, rest]) => {
  expect(restMs(worked, share)).toBeCloseTo(rest);
});

test("a whole share is no limit", () => {
  expect(new ImportPace(1).isLimited).toBe(false);
  expect(new ImportPace(0.5).isLimited).toBe(true);
});

test("a rest ends when the job is stopped", async () => {
  const stop = new AbortController();
  const pace = new ImportPace(0.000001);
  const resting = pace.rest(stop.signal);
  stop.abort();
  await expect(resting).rejects.toThrow(/abort/i);
});
