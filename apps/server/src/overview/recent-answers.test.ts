import { expect, test, vi } from "vitest";
import { RecentAnswers } from "./recent-answers.js";

test("an answer is computed once for all who ask within its time, for each organization", async () => {
  let computed = 0;
  const answers = new RecentAnswers(60_000, async (id) => `${id}${++computed}`);
  expect(await Promise.all([answers.get("a"), answers.get("a"), answers.get("b"), answers.get("a")])).toEqual([
    "a1",
    "a1",
    "b2",
    "a1",
  ]);
});

test("an answer is computed again when it is too old", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000);
  try {
    let computed = 0;
    const answers = new RecentAnswers(500, async () => ++computed);
    expect(await answers.get("a")).toBe(1);
    clock.mockReturnValue(1_501);
    expect(await answers.get("a")).toBe(2);
  } finally {
    clock.mockRestore();
  }
});

test("an answer that failed is not remembered", async () => {
  let computed = 0;
  const answers = new RecentAnswers(60_000, async () => {
    computed += 1;
    if (computed === 1) throw new Error("The engine is away.");
    return computed;
  });
  await expect(answers.get("a")).rejects.toThrow("The engine is away.");
  expect(await answers.get("a")).toBe(2);
});
