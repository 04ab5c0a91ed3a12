// Runs the contract tests of the questions on a real ClickHouse, which runs inside the test processes. With `--part`, only a
// part of them, another one at each commit.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installChdb } from "./install-chdb.js";
import { shardOfCommit } from "./long-tests.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TESTS = ["contract", "clickhouse"].map((folder) => `apps/server/src/storage/questions/${folder}`);

const folder = installChdb();
if (folder !== undefined) {
  // The ClickHouse server of the tests runs from its compiled files.
  run(["tsc", "-b", "testing"]);
  const args = shardOfCommit(process.argv.slice(2), ROOT);
  const isNarrowed = args.some((arg) => !arg.startsWith("-"));
  // A process can open ClickHouse only once, so each file has a process of its own.
  run(["vitest", "run", "--isolate", ...args, ...(isNarrowed ? [] : TESTS)], {
    MUSTER_TEST_QUESTIONS: "clickhouse",
    MUSTER_TEST_CHDB: folder,
  });
} else {
  console.log(
    `ClickHouse was not tested: chdb, which runs it in the tests, exists for linux-x64 only, and this is ${process.platform}-${process.arch}.`,
  );
}

/**
 * @param {readonly string[]} args
 * @param {Record<string, string>} environment
 */
function run(args, environment = {}) {
  const { status, error } = spawnSync("npx", args, {
    stdio: "inherit",
    cwd: ROOT,
    env: { ...process.env, ...environment },
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
