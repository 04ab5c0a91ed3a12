import { afterEach, expect, test, vi } from "vitest";
import { Breather, breatheFaster } from "./breather.js";

afterEach(() => {
  vi.useRealTimers();
});

test("a computation pauses after eight milliseconds, and after two while somebody waits", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const breather = new Breather();
  vi.advanceTimersByTime(5);
  expect(breather.isDue).toBe(false);
  const one = breatheFaster();
  const other = breatheFaster();
  expect(breather.isDue).toBe(true);
  one();
  expect(breather.isDue).toBe(true);
  other();
  expect(breather.isDue).toBe(false);
  vi.advanceTimersByTime(5);
  expect(breather.isDue).toBe(true);
});
