import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findLongTests, PARTS, partOf, partOfCommit } from "./long-tests.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LONG = findLongTests(ROOT);

test("files that say that they take long are found", () => {
  expect(LONG).toContain("e2e/backup.test.ts");
  expect(LONG).not.toContain("scripts/long-tests.test.ts");
});

test("every long file is in exactly one part, and parts are of about the same number of files", () => {
  const parts = Array.from({ length: PARTS }, (_, index) => partOf(LONG, index + 1));
  expect(parts.flat().sort()).toEqual(LONG);
  const sizes = parts.map(({ length }) => length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
});

test("a commit has a part that exists", () => {
  expect(partOf(LONG, partOfCommit(ROOT)).length).toBeGreaterThan(0);
});
