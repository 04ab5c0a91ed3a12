import type { InsightQuestion } from "@muster/protocol/api/insights";
import { expect, test } from "vitest";
import type { InsightAnswer } from "../api/audience/use-insights.js";
import { mostFrequentWords } from "./insight-words.js";

const TIME = { from: "now-30d/d", to: "now", time_zone: "UTC" };
const NO_VALUES = { from: "", to: "" };

test("a breakdown that has as many values as were asked for says that it has the most frequent ones", () => {
  const asked: InsightQuestion = {
    trend: {
      series: [{ measure: "count" }, { measure: "users" }],
      interval: "day",
      ...TIME,
      breakdown: "user.plan",
      limit: 2,
    },
  };
  const answered = (values: string[]): InsightAnswer => ({
    kind: "trend",
    answer: {
      interval: "day",
      ...NO_VALUES,
      series: [0, 1].flatMap((series) => values.map((breakdown) => ({ series, breakdown, points: [] }))),
    },
  });
  expect(mostFrequentWords(asked, answered(["pro", "free"]))).toBe("The 2 most frequent values are shown.");
  expect(mostFrequentWords(asked, answered(["pro"]))).toBeUndefined();
});

test("so does a funnel, and numbers without a breakdown say nothing", () => {
  const funnel = { steps: [{}, {}], within: "7d", ...TIME, limit: 1 };
  const answer: InsightAnswer = {
    kind: "funnel",
    answer: { ...NO_VALUES, groups: [{ breakdown: "pro", steps: [] }] },
  };
  expect(mostFrequentWords({ funnel: { ...funnel, breakdown: "user.plan" } }, answer)).toBe(
    "Only the most frequent value is shown.",
  );
  expect(mostFrequentWords({ funnel }, answer)).toBeUndefined();
});
