import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepRelease, listReleases } from "./kept-releases.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-releases-"));
  writeFileSync(join(folder, "SHA256SUMS"), "");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("each release is kept with its checksum, and keeping it again changes nothing", () => {
  for (const version of ["1.0.0", "1.1.0", "1.0.0"]) keepRelease(version, `script of ${version}`, folder);
  expect(listReleases(folder).map(({ version, text }) => [version, text])).toEqual([
    ["1.0.0", "script of 1.0.0"],
    ["1.1.0", "script of 1.1.0"],
  ]);
});

test("a kept release cannot become another script", () => {
  expect(() => keepRelease("1.0.0", "another script", folder)).toThrow("needs a new version");
  expect(readFileSync(join(folder, "1.0.0.js"), "utf8")).toBe("script of 1.0.0");
  expect(() => keepRelease("../1.0.0", "", folder)).toThrow("not the version of a release");
});

test("the releases in the repository are as they were released", () => {
  for (const { version, text, checksum } of listReleases()) {
    expect([version, createHash("sha256").update(text).digest("hex")]).toEqual([version, checksum]);
  }
});
