import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../", import.meta.url));
/** The folder with the package.json and the lock file of the package of destinations. */
export const INSTALLATION = join(REPOSITORY, "connector-apps/destinations/installation");

const QUIET = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];

/**
 * Installs the package of destinations into a cache, once for each version of its lock file, and writes down what the destinations
 * declare: that depends on the code of the repository too. Returns the folder.
 */
export function installDestinations() {
  const lock = readFileSync(join(INSTALLATION, "package-lock.json"));
  const folder = join(REPOSITORY, ".cache/destinations", createHash("sha256").update(lock).digest("hex").slice(0, 16));
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) cpSync(join(INSTALLATION, name), join(unfinished, name));
    runOrExit("npm", ["ci", ...QUIET], unfinished);
    renameSync(unfinished, folder);
  }
  const describe = "connector-apps/destinations/src/install/describe.ts";
  runOrExit(process.execPath, ["--conditions=@muster/source", "--import", "tsx", describe, folder], REPOSITORY);
  return folder;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} more variables of the environment
 */
export function runOrExit(program, args, cwd, more = {}) {
  const status = run(program, args, cwd, more);
  if (status !== 0) process.exit(status);
}

/**
 * Runs a program and shows what it writes. Answers with its exit code.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} more variables of the environment
 */
export function run(program, args, cwd, more = {}) {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...more } });
  return status ?? 1;
}
