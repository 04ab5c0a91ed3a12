// Runs the contract tests of the questions on a real ClickHouse, which runs inside the test processes. Its library exists
// for linux-x64 only, so it is not a dependency of any package. This script installs it in a folder of its own.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "3.4.0";
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, ".cache", "chdb");
const TESTS = ["contract", "clickhouse"].map((folder) => `apps/server/src/storage/questions/${folder}`);

const platform = `${process.platform}-${process.arch}`;
if (platform === "linux-x64") {
  if (installedVersion() !== VERSION) install();
  const env = { ...process.env, MUSTER_TEST_QUESTIONS: "clickhouse", MUSTER_TEST_CHDB: FOLDER };
  const [, , ...narrowed] = process.argv;
  // A process can open ClickHouse only once, so each file has a process of its own.
  run("npx", ["vitest", "run", "--isolate", ...(narrowed.length > 0 ? narrowed : TESTS)], { cwd: ROOT, env });
} else {
  console.log(
    `ClickHouse was not tested: chdb, which runs it in the tests, exists for linux-x64 only, and this is ${platform}.`,
  );
}

/** @returns {string | undefined} */
function installedVersion() {
  try {
    return JSON.parse(readFileSync(join(FOLDER, "node_modules", "chdb", "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}

function install() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), JSON.stringify({ private: true }));
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `chdb@${VERSION}`], { cwd: FOLDER });
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 */
function run(command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
