// @module-tag long
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canTest } from "../../../testing/can-test.js";
import { readResults } from "./results.js";

// The report reads memory from /proc.
const isLinux = canTest(process.platform === "linux", "The report is not tested: it measures memory on Linux only.");
const REPORT = fileURLToPath(new URL("../../dist/report.js", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-report-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function report(...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [REPORT, "--out", folder, ...args], { encoding: "utf8" });
  return stdout + stderr;
}

test.runIf(isLinux)("a tiny soak is measured, written and drawn, and the page can be written again", async () => {
  // Three seconds are too short to say what grows, so what it says about that is not looked at.
  const output = report("--only", "soak", "--scale", "0.002", "--minutes", "0.05");
  expect(output).toContain("memory of the server");
  const { soak } = await readResults(join(folder, "performance/results.json"));
  expect(soak).toMatchObject({ scale: 0.002, minutes: 0.05, machine: { node: process.version } });
  expect(await readdir(join(folder, "performance"))).toEqual([
    "results.json",
    "soak-files.svg",
    "soak-lag.svg",
    "soak-latency.svg",
    "soak-memory.svg",
    "soak-questions.svg",
    "soak-samples.csv",
  ]);
  const page = await readFile(join(folder, "performance.md"), "utf8");
  expect(page).toContain("## A long run");
  await rm(join(folder, "performance.md"));
  report("--render");
  expect(await readFile(join(folder, "performance.md"), "utf8")).toBe(page);
});

test("a run that does not exist is refused, and those that exist are named", () => {
  expect(report("--only", "speed")).toContain("--only has speed; there is: ingest, search-100k,");
  expect(existsSync(join(folder, "performance"))).toBe(false);
});
