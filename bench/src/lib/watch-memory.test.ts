import { beforeEach, expect, test, vi } from "vitest";
import { readTreeMemory } from "./process-tree.js";
import { watchMemory } from "./watch-memory.js";

vi.mock("./process-tree.js");

/** Makes the next samples find this much memory. */
function samplesFind(...sizes: number[]): void {
  for (const bytes of sizes) vi.mocked(readTreeMemory).mockReturnValueOnce(bytes);
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => {
    vi.useRealTimers();
    vi.mocked(readTreeMemory).mockReset();
  };
});

test("the peak is the largest of the samples, the first of which is taken at once", () => {
  samplesFind(5, 7, 6);
  const watch = watchMemory(42, 100);
  vi.advanceTimersByTime(200);
  expect(watch.stop()).toBe(7);
  expect(vi.mocked(readTreeMemory).mock.calls).toEqual([[42], [42], [42]]);
});

test("a watch that was stopped takes no further sample", () => {
  samplesFind(5);
  const watch = watchMemory(42, 100);
  expect(watch.stop()).toBe(5);
  vi.advanceTimersByTime(1_000);
  expect(readTreeMemory).toHaveBeenCalledTimes(1);
});
