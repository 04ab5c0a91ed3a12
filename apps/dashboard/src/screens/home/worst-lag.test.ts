import { expect, test } from "vitest";
import { worstLag } from "./worst-lag.js";

test("the slowest stage is the one with the highest percentile, or whose oldest record waits longest", () => {
  const apply = { stage: "apply", p95_ms: 20, behind_ms: 0 } as const;
  const search = { stage: "search", p95_ms: 90, behind_ms: 0 } as const;
  expect(worstLag([apply, search])).toEqual({ note: "Search, 95 % within", ms: 90 });
  expect(worstLag([{ ...apply, behind_ms: 4_000 }, search])).toEqual({ note: "Apply, behind now", ms: 4_000 });
});

test("without records there is no slowest stage", () => {
  expect(worstLag([{ stage: "apply", p95_ms: null, behind_ms: 0 }])).toBe(undefined);
});
