import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { endToEndTestsOf, RULES } from "./tests-of-change.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ALL = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "e2e"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file.endsWith(".test.ts"));

describe("the end-to-end tests of a change", () => {
  test.each([
    { changed: "apps/server/src/pipeline/apply/apply.ts", some: "e2e/kill.test.ts", not: "e2e/packages.test.ts" },
    { changed: "apps/dashboard/src/app/router.tsx", some: "e2e/dashboard/home.test.ts", not: "e2e/kill.test.ts" },
    { changed: "docs/identity.md", some: "e2e/guides/pages.test.ts", not: "e2e/cli.test.ts" },
    { changed: "packages/cli/package.json", some: "e2e/packages.test.ts", not: "e2e/cli.test.ts" },
    { changed: "packages/cli/src/main.ts", some: "e2e/cli.test.ts", not: "e2e/dashboard/home.test.ts" },
  ])("of $changed include $some and not $not", ({ changed, some, not }) => {
    const tests = endToEndTestsOf([changed], ALL);
    expect(tests).toContain(some);
    expect(tests).not.toContain(not);
  });

  test("are none for a unit test and for a file that no program contains", () => {
    expect(endToEndTestsOf(["apps/server/src/runtime/loop.test.ts", ".editorconfig"], ALL)).toEqual([]);
  });

  test("are all named by some rule, and every rule names tests that exist", () => {
    const named = RULES.flatMap(({ tests, except = [] }) => [...tests, ...except]);
    expect(named.filter((path) => !ALL.some((test) => test.startsWith(path)))).toEqual([]);
    const everything = RULES.flatMap(({ paths }) => paths.map((path) => path.replace("*", "packages/cli")));
    expect(endToEndTestsOf(everything, ALL)).toEqual(ALL.toSorted());
  });
});
