import { readManifest } from "@muster/protocol/manifest";
import { describe, expect, test } from "vitest";
import { nextRun, timingOf } from "./timing.js";

const NOON = new Date("2026-03-01T12:00:00Z");

function timing(schedule: object, private_settings: Record<string, unknown> = {}): string | undefined {
  const [declared] = readManifest({ schedules: [{ url: "/sync", ...schedule }] }).schedules;
  return declared && timingOf(declared, { settings: {}, private_settings });
}

describe("the timing of a schedule", () => {
  test.each([
    ["a number of minutes", { type: "interval", value: 5 }, "interval 5"],
    ["minutes as text", { type: "interval", value: "30" }, "interval 30"],
    ["a cron expression", { type: "cron", value: "7 */6 * * *" }, "cron 7 */6 * * *"],
    ["no type at all", { value: "15" }, "interval 15"],
  ])("is given by %s", (_name, schedule, expected) => {
    expect(timing(schedule)).toBe(expected);
  });

  const fromSetting = { type: "interval", value_from: "private_settings.every", default: "180" };
  test("is given by a setting", () => {
    expect(timing(fromSetting, { every: 10 })).toBe("interval 10");
  });
  test.each([[{}], [{ every: "" }], [{ every: "often" }], [{ every: 0 }], [{ every: -5 }]])(
    "is the default while the setting is %j",
    (values) => {
      expect(timing(fromSetting, values)).toBe("interval 180");
    },
  );

  test.each([
    ["no value", {}],
    ["a value that is not a number", { type: "interval", value: "soon" }],
    ["zero", { type: "interval", value: 0 }],
    ["a broken expression", { type: "cron", value: "every day" }],
  ])("is undefined with %s", (_name, schedule) => {
    expect(timing(schedule)).toBeUndefined();
  });
});

test("an interval is counted from the given time", () => {
  expect(nextRun("interval 5", NOON)).toEqual(new Date("2026-03-01T12:05:00Z"));
  expect(nextRun("interval 0.5", NOON)).toEqual(new Date("2026-03-01T12:00:30Z"));
});

test("a cron expression gives times in UTC, and never the present moment", () => {
  expect(nextRun("cron */30 * * * *", NOON)).toEqual(new Date("2026-03-01T12:30:00Z"));
  expect(nextRun("cron 7 */6 * * *", NOON)).toEqual(new Date("2026-03-01T12:07:00Z"));
  expect(nextRun("cron 0 12 * * *", NOON)).toEqual(new Date("2026-03-02T12:00:00Z"));
});

test("a date that does not exist gives a time in the future all the same", () => {
  expect(nextRun("cron 0 0 30 2 *", NOON).getTime()).toBeGreaterThan(NOON.getTime());
});
