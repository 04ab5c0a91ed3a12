import { expect, test } from "vitest";
import { FIRST_QUESTIONS } from "./first-questions.js";
import { asksTheSame, readQuestion } from "./question-address.js";

test("an address gives its question, with the defaults of what it leaves out", () => {
  expect(readQuestion("")).toBe(FIRST_QUESTIONS.trend);
  expect(readQuestion("{")).toBe(FIRST_QUESTIONS.trend);
  expect(readQuestion('{"trend":{"series":3}}')).toBe(FIRST_QUESTIONS.trend);
  expect(readQuestion('{"funnel":{"steps":[{"event":"A"},{"event":"B"}]}}')).toMatchObject({
    funnel: { steps: [{ event: "A" }, { event: "B" }], within: "7d", from: "now-30d/d" },
  });
});

test("questions are compared by what they ask, not by the order of their keys", () => {
  const one = { retention: { interval: "week", from: "now-8w/w", to: "now", time_zone: "UTC" } } as const;
  const other = { retention: { time_zone: "UTC", to: "now", from: "now-8w/w", interval: "week" } } as const;
  expect(asksTheSame(one, other)).toBe(true);
  expect(asksTheSame(one, { retention: { ...other.retention, interval: "day" } })).toBe(false);
});
