import { onTestFinished, vi } from "vitest";

/**
 * Sets the clock a minute ahead and holds it there until the test has finished. A limit per minute then starts its window
 * at the first call of the test, and cannot start the next one while the test still counts.
 */
export function holdNewMinute(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
}
