import { expect, test } from "vitest";
import { installationProblem } from "./installation-problem.js";

test.each([
  ["spawn npm ENOENT", "There is no npm on this machine"],
  [
    "npm error code ENOTFOUND\nnpm error network request to https://npm.example.com failed",
    "npm's registry cannot be reached",
  ],
  [
    "npm error code ENOSPC\nnpm error nospc There appears to be insufficient space",
    "The disk of /data/destinations is full",
  ],
  ["Error: EROFS: read-only file system, mkdir '/data/destinations'", "/data/destinations cannot be written"],
  ["npm error code E404\nnpm error 404 Not Found", "does not give out a part of the package"],
])("%j is told as a sentence, with the code", (output, sentence) => {
  const { message } = installationProblem(output, "/data/destinations");
  expect(message).toContain(sentence);
  expect(message).toMatch(/\(.*E[A-Z0-9]+.*\)$/);
});

test("of an unknown failure the end of the output is shown", () => {
  expect(installationProblem(`${"x".repeat(5_000)}\nIt broke.`, "/data").message).toMatch(
    /^The installation failed: x{100,}\nIt broke\.$/,
  );
});
