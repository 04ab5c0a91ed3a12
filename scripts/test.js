// Builds what the tests start, then runs them, without those that take long (`scripts/long-tests.js`). Arguments go to Vitest,
// except
//   --changed [COMMIT]  only the tests that the changes since COMMIT can break, long ones too. Without COMMIT these are the
//                       changes that are not committed, with new files.
//   --part [N]          only the long tests of one part. Without N, the part whose turn it is at this commit.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { findLongTests, gitLines, PARTS, partOf, partOfCommit } from "./long-tests.js";
import { endToEndTestsOf } from "./tests-of-change.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const isLong = process.env.TEST_LENGTH === "full";

const [given, since] = takeOption(process.argv.slice(2), "--changed", "HEAD");
const [args, part] = takeOption(given, "--part", String(partOfCommit(ROOT)));
const choice = chooseTests();
if (choice === undefined) {
  console.log(`No test can notice what has changed since ${since}.`);
  process.exit(0);
}
run("npx", ["tsc", "-b"]);
run(process.execPath, ["scripts/build.js"]);
run("npx", ["vitest", "run", ...choice, ...args]);

/**
 * What tells Vitest which tests to run; undefined when there are none to run.
 * @returns {string[] | undefined}
 */
function chooseTests() {
  if (since !== undefined) {
    const tests = findTestsOf(since);
    return tests.length === 0 ? undefined : tests;
  }
  if (part !== undefined) {
    console.log(`Part ${part} of ${PARTS} of the long tests. npm run test:long runs all of them.`);
    return partOf(findLongTests(ROOT), Number(part));
  }
  // Whoever names a test means it.
  const isNamed = args.some((arg) => existsSync(join(ROOT, arg)));
  if (!isLong && !isNamed) process.env.LEAVE_OUT_LONG_TESTS = "true";
  return [];
}

/**
 * Takes `--name`, `--name VALUE` or `--name=VALUE` out of the arguments. Returns the rest, and the value or the standard value.
 * @param {readonly string[]} all
 * @param {string} name
 * @param {string} standard
 * @returns {[string[], string | undefined]}
 */
function takeOption(all, name, standard) {
  const at = all.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  const option = all[at];
  if (option === undefined) return [[...all], undefined];
  const [, named] = option.split("=");
  const next = all[at + 1];
  const isNext = named === undefined && next !== undefined && !next.startsWith("-");
  const rest = all.filter((_, index) => index !== at && !(isNext && index === at + 1));
  return [rest, named ?? (isNext ? next : standard)];
}

/**
 * The tests that import something changed, and the end-to-end tests of the programs that it is part of.
 * @param {string} since a commit
 * @returns {string[]}
 */
function findTestsOf(since) {
  const changed = [
    ...gitLines(ROOT, "diff", "--name-only", since),
    ...gitLines(ROOT, "ls-files", "--others", "--exclude-standard"),
  ];
  const all = gitLines(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "e2e").filter((file) =>
    file.endsWith(".test.ts"),
  );
  return [...new Set([...findImporters(since), ...endToEndTestsOf(changed, all)])].sort();
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
