import { onTestFinished, vi } from "vitest";

const MINUTE_MS = 60_000;

let heldUntil = 0;

/**
 * Sets the clock that limits are counted by a minute ahead and holds it there until the test has finished. A limit per
 * minute then starts its window at the first call of the test, and cannot start the next one while the test still counts.
 */
export function holdNewMinute(): void {
  // Later than the window that an earlier test has started, which is ahead of the clock by now.
  heldUntil = Math.max(performance.now(), heldUntil) + MINUTE_MS;
  const clock = vi.spyOn(performance, "now").mockReturnValue(heldUntil);
  onTestFinished(() => clock.mockRestore());
}
