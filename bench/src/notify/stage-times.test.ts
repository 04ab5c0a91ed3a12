import { expect, test } from "vitest";
import { stageTable, stageTimes } from "./stage-times.js";

const step = (stage: string, count: number, sum: number) => [
  { name: "muster_pipeline_stage_seconds_count", labels: { stage }, value: count },
  { name: "muster_pipeline_stage_seconds_sum", labels: { stage }, value: sum },
];
const call = (connector: string, count: number, sum: number) => [
  { name: "muster_connector_call_seconds_count", labels: { connector }, value: count },
  { name: "muster_connector_call_seconds_sum", labels: { connector }, value: sum },
];

test("steps and calls between two readings are counted, those of other connectors are not", () => {
  const before = [...step("apply", 10, 1), ...step("notify", 0, 0), ...call("sink", 5, 0.5)];
  const after = [...step("apply", 30, 1.4), ...step("notify", 0, 0), ...call("sink", 15, 0.6), ...call("other", 9, 9)];
  const times = stageTimes(before, after, "sink");
  expect(times.map(({ stage, steps }) => [stage, steps])).toEqual([
    ["apply", 20],
    ["the connector's answer", 10],
  ]);
  expect(times.map(({ meanMs }) => Math.round(meanMs))).toEqual([20, 10]);
});

test("what the stages do not explain is the rest of the median, and never below zero", () => {
  const times = [{ stage: "apply", steps: 20, meanMs: 20 }];
  expect(stageTable(times, 10, 50).rows).toEqual([
    ["apply", "2.0", 20],
    ["the rest of the median: waiting, the queue, the call", "", 30],
  ]);
  expect(stageTable(times, 10, 5).rows.at(-1)?.at(-1)).toBe(0);
});
