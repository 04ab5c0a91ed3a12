import { MAX_CHART_POINTS } from "@muster/protocol/api/choices";
import { expect, test } from "vitest";
import { chartDays } from "./chart-days.js";

test("two thousand segments are drawn for 30 days, and more of them for as many days as one answer has", () => {
  expect([0, 1, 2_000, 10_000].map(chartDays)).toEqual([30, 30, 30, 9]);
  for (const count of [3_225, 3_226, 5_000, 33_333]) {
    expect((chartDays(count) + 1) * count).toBeLessThanOrEqual(MAX_CHART_POINTS);
  }
});
