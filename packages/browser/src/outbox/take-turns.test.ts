import { describe, expect, test, vi } from "vitest";
import { takeTurns } from "./take-turns.js";

/** A lock manager that does this. */
const locksThat = (request: (work: () => Promise<void>) => Promise<void>) =>
  ({ request: (_name: string, work: () => Promise<void>) => request(work) }) as unknown as LockManager;

describe("taking turns", () => {
  test.each([
    ["there are no locks", undefined],
    ["the page may not use locks", locksThat(() => Promise.reject(new Error("not allowed")))],
    [
      "locks are broken",
      locksThat(() => {
        throw new Error("broken");
      }),
    ],
    ["locks work", locksThat((work) => work())],
  ])("runs the work once when %s", async (_name, locks) => {
    const work = vi.fn(async () => undefined);
    await takeTurns(locks, "name", work);
    expect(work).toHaveBeenCalledOnce();
  });

  test("does not run work again that has failed", async () => {
    const work = vi.fn(() => Promise.reject(new Error("failed")));
    await expect(
      takeTurns(
        locksThat((given) => given()),
        "name",
        work,
      ),
    ).rejects.toThrow("failed");
    expect(work).toHaveBeenCalledOnce();
  });
});
