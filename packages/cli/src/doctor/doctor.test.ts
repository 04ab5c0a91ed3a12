import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { judgeClock } from "./check-clock.js";
import { checkDataDirectory } from "./check-data-directory.js";
import { checkDisk, judgeFreeSpace } from "./check-disk.js";
import { checkHealth } from "./check-health.js";
import { checkNode } from "./check-node.js";
import { checkVersions } from "./check-versions.js";

test.each([
  ["20.19.0", "ok"],
  ["20.20.2", "ok"],
  ["22.0.0", "ok"],
  ["20.18.3", "problem"],
  ["18.20.0", "problem"],
])("Node %s is judged %s", (version, verdict) => {
  expect(checkNode(version)).toMatchObject({ check: "node", verdict, message: expect.stringContaining(version) });
});

test("a command and a server of different versions are worth a warning with what to do", () => {
  expect(checkVersions("0.2.0", "0.2.0").verdict).toBe("ok");
  expect(checkVersions("0.3.0", "0.2.0")).toMatchObject({
    verdict: "warning",
    message: "the command is 0.3.0, and the server is 0.2.0",
    advice: expect.stringContaining("@muster/cli 0.2.0"),
  });
});

test("what the server finds about itself keeps its advice", async () => {
  const answer = [
    { name: "Disk", status: "late", message: "1 of 50 GB is free.", advice: "Enlarge the disk." },
    { name: "Mail", status: "good", message: "Mail can be sent.", advice: "" },
    { name: "PostgreSQL", status: "bad", message: "It does not answer.", advice: "Look whether it runs." },
  ];
  // The type of an answer is given by its caller.
  const api = { get: async <Body>() => answer as Body };
  expect(await checkHealth(api)).toEqual([
    { check: "Disk", verdict: "warning", message: "1 of 50 GB is free.", advice: "Enlarge the disk." },
    { check: "Mail", verdict: "ok", message: "Mail can be sent." },
    { check: "PostgreSQL", verdict: "problem", message: "It does not answer.", advice: "Look whether it runs." },
  ]);
});

test.each([
  [100 * 1024 ** 3, "ok"],
  [5 * 1024 ** 3, "ok"],
  [4 * 1024 ** 3, "warning"],
  [500 * 1024 ** 2, "problem"],
  [0, "problem"],
])("%d free bytes are judged %s", (bytes, verdict) => {
  expect(judgeFreeSpace(bytes).verdict).toBe(verdict);
});

describe("the clock", () => {
  const NOW = Date.parse("2030-01-01T00:00:00Z");

  test("is good when it is after the installation and agrees with the server's", () => {
    expect(judgeClock(NOW, NOW - 1, NOW + 29_000).verdict).toBe("ok");
    expect(judgeClock(NOW, NOW - 1, undefined).verdict).toBe("ok");
  });

  test("is wrong when it is before the installation", () => {
    expect(judgeClock(NOW, NOW + 60_000, undefined)).toMatchObject({
      verdict: "problem",
      message: expect.stringContaining("before Muster was installed"),
    });
  });

  test("is wrong when it differs from the server's", () => {
    expect(judgeClock(NOW, 0, NOW - 90_000)).toMatchObject({
      verdict: "problem",
      message: "this clock and the server's differ by 90 seconds",
    });
  });
});

describe("the data directory", () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "muster-doctor-"));
  });
  afterEach(() => rm(parent, { recursive: true }));

  test("is good when it exists and is writable", async () => {
    const directory = join(parent, "data");
    await mkdir(directory);
    expect(await checkDataDirectory(directory)).toMatchObject({ verdict: "ok", message: `${directory} is writable` });
  });

  test("is good when it does not exist but can be created", async () => {
    const directory = join(parent, "a", "b", "data");
    expect(await checkDataDirectory(directory)).toMatchObject({
      verdict: "ok",
      message: expect.stringMatching(/will be created/),
    });
    expect(await checkDisk(directory)).toMatchObject({ check: "disk" });
  });

  test("is a problem when it, or a folder above it, is a file", async () => {
    const file = join(parent, "file");
    await writeFile(file, "");
    expect(await checkDataDirectory(file)).toMatchObject({
      verdict: "problem",
      message: expect.stringMatching(/is not a directory/),
    });
    expect(await checkDataDirectory(join(file, "data"))).toMatchObject({ verdict: "problem" });
  });

  test("is a problem when it cannot be written to", async () => {
    // Even root cannot create anything there.
    expect(await checkDataDirectory("/proc/muster")).toMatchObject({
      verdict: "problem",
      message: expect.stringMatching(/cannot be written/),
    });
  });
});
