import type { AttentionItem } from "@muster/protocol/api/overview";
import { expect, test } from "vitest";
import { healthOf } from "./health.js";

const item = (kind: AttentionItem["kind"], severity: AttentionItem["severity"]): AttentionItem => ({
  kind,
  severity,
  message: `About ${kind}.`,
  count: 1,
  ids: [],
});
const lag = (behind_ms: number, waiting_records = 0) => ({ behind_ms, waiting_records });

test("an organization without trouble is healthy", () => {
  expect(healthOf(lag(0), [item("dead_letters", "warning")])).toEqual({
    state: "ok",
    message: "Healthy. Everything that arrived is searchable.",
    behind_ms: 0,
    waiting_records: 0,
  });
  expect(healthOf(lag(400), [])).toMatchObject({ state: "ok", message: "Healthy. Records are on their way." });
});

test("a stage that fails decides, then an engine that is being filled, then the lag", () => {
  const stage = item("stage", "error");
  const engine = item("engine", "warning");
  expect(healthOf(lag(60_000), [engine, stage])).toMatchObject({ state: "broken", message: "About stage." });
  expect(healthOf(lag(60_000), [engine])).toMatchObject({ state: "late", message: "About engine." });
  expect(healthOf(lag(60_000), [])).toMatchObject({
    state: "late",
    message: "Records become searchable 60 seconds late.",
  });
  expect(healthOf(lag(600_000), [])).toMatchObject({ message: "Records become searchable 10 minutes late." });
});

test("a connector or a segment that is broken is not healthy", () => {
  for (const kind of ["connector", "delivery", "dead_letters", "segment"] as const) {
    expect(healthOf(lag(0), [item("engine", "warning"), item(kind, "error")])).toMatchObject({
      state: "broken",
      message: `About ${kind}.`,
    });
  }
});

test("an import that is being applied does not make the rest late", () => {
  expect(healthOf(lag(0, 300_000), [])).toMatchObject({
    state: "ok",
    message: "Fresh. 300,000 records wait to be applied.",
  });
});
