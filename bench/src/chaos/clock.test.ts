import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Clock } from "./clock.js";

async function openClock(): Promise<{ clock: Clock; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "clock");
  return { clock: new Clock(file), file };
}

test("the offsets that may have held during a request are known, before, during and after a step", async () => {
  const { clock, file } = await openClock();
  const before = Date.now() - 1_000;
  writeFileSync(`${file}.seen`, "60000");
  await clock.set(60_000);
  const after = Date.now() + 1_000;
  expect(clock.offset).toBe(60_000);
  expect(clock.during(before, before)).toEqual({ least: 0, most: 0 });
  expect(clock.during(before, after)).toEqual({ least: 0, most: 60_000 });
  expect(clock.during(after, after)).toEqual({ least: 60_000, most: 60_000 });
});

test("a step is taken although no server follows the clock", async () => {
  const { clock } = await openClock();
  await clock.set(-60_000);
  expect(clock.offset).toBe(-60_000);
});
