// Runs the tests that depend most on Node with another major version of it: node scripts/test-on-node.js 24. The version comes
// from npm as a package with nothing but the program. With `--part`, one of the two long files of tests, the other one at the
// next commit.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { partOf, partOfCommit } from "./long-tests.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
// A built server with its threads and both engines; then native packages, threads, locks of files, compression and streams.
const TESTS = [
  "e2e/threads.test.ts",
  "apps/server/src/runtime",
  "apps/server/src/pipeline/accept",
  "apps/server/src/storage/questions/duckdb/engine",
  "packages/client",
];

// The packages as npm installs them from a server.
const PACKAGES = "e2e/packages.test.ts";
// The limits of threads that run the code of others, which differ from version to version.
const OF_DESTINATIONS = "connector-apps/destinations/src/thread";

const [, , wanted = "", option] = process.argv;
if (!/^\d+$/.test(wanted)) {
  console.error("Name the major version: node scripts/test-on-node.js 24");
  process.exit(2);
}
if (process.versions.node.startsWith(`${wanted}.`)) {
  console.log(`This is Node ${process.versions.node}: all tests run on it.`);
} else {
  const folder = installNode(wanted);
  if (folder === undefined) {
    console.log(
      `Node ${wanted} was not tested: npm has no package of it for ${process.platform}-${process.arch}, or cannot be reached.`,
    );
  } else {
    const environment = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    run(join(folder, "node"), ["--version"], environment);
    const long = [PACKAGES, OF_DESTINATIONS];
    const chosen = option === "--part" ? partOf(long, partOfCommit(ROOT, long.length), long.length) : long;
    const tests = [...TESTS, ...chosen.filter((test) => test === PACKAGES)];
    run(join(folder, "node"), ["node_modules/vitest/vitest.mjs", "run", ...tests], environment);
    if (chosen.includes(OF_DESTINATIONS)) {
      const args = ["scripts/test-destinations.js", "--project", "destinations", OF_DESTINATIONS];
      run(join(folder, "node"), args, environment);
    }
  }
}

/**
 * Installs a version of Node below node_modules, unless it is there. Returns the folder of the program; undefined when npm
 * does not give it.
 *
 * @param {string} major
 * @returns {string | undefined}
 */
function installNode(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(ROOT, "node_modules/.cache", `node-${major}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", `${name}@${major}`];
  const { status } = spawnSync("npm", args, { stdio: ["ignore", "ignore", "inherit"], cwd: folder });
  return status === 0 ? join(folder, "node_modules", name, "bin") : undefined;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function run(command, args, env) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", cwd: ROOT, env });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
