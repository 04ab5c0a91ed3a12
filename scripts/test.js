// Builds what the tests start, then runs them. Arguments go to Vitest, except `--changed [COMMIT]`: it runs only the tests
// that the changes since COMMIT can break. Without COMMIT these are the changes that are not committed, with new files.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { endToEndTestsOf } from "./tests-of-change.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILD = ["build-programs.js", "build-browser.js", "build-dashboard.js", "build-packages.js"];

const { since, args } = readArguments(process.argv.slice(2));
const tests = since === undefined ? [] : findTestsOf(since);
if (since !== undefined && tests.length === 0) {
  console.log(`No test can notice what has changed since ${since}.`);
  process.exit(0);
}
run("npx", ["tsc", "-b"]);
for (const script of BUILD) run(process.execPath, [join("scripts", script)]);
run("npx", ["vitest", "run", ...tests, ...args]);

/**
 * Takes `--changed`, `--changed COMMIT` and `--changed=COMMIT` out of the arguments.
 * @param {readonly string[]} given
 * @returns {{ since: string | undefined, args: string[] }}
 */
function readArguments(given) {
  const at = given.findIndex((arg) => arg === "--changed" || arg.startsWith("--changed="));
  const option = given[at];
  if (option === undefined) return { since: undefined, args: [...given] };
  const [, named] = option.split("=");
  const next = given[at + 1];
  const isNext = named === undefined && next !== undefined && !next.startsWith("-");
  const args = given.filter((_, index) => index !== at && !(isNext && index === at + 1));
  return { since: named ?? (isNext ? next : "HEAD"), args };
}

/**
 * The tests that import something changed, and the end-to-end tests of the programs that it is part of.
 * @param {string} since a commit
 * @returns {string[]}
 */
function findTestsOf(since) {
  const changed = [
    ...gitFiles("diff", "--name-only", since),
    ...gitFiles("ls-files", "--others", "--exclude-standard"),
  ];
  const all = gitFiles("ls-files", "--cached", "--others", "--exclude-standard", "e2e").filter((file) =>
    file.endsWith(".test.ts"),
  );
  return [...new Set([...findImporters(since), ...endToEndTestsOf(changed, all)])].sort();
}

/** @param {readonly string[]} args */
function gitFiles(...args) {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
}

/** @param {string} since */
function findImporters(since) {
  const list = join(ROOT, "node_modules/.cache/changed-tests.json");
  rmSync(list, { force: true });
  run("npx", ["vitest", "list", `--changed=${since}`, "--filesOnly", `--json=${list}`]);
  /** @type {{ file: string }[]} */
  const files = JSON.parse(readFileSync(list, "utf8"));
  return files.map(({ file }) => relative(ROOT, file));
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: "inherit", cwd: ROOT });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
