// `npm run test:destinations`: installs the package of destinations once for each version of its lock file, and runs the tests that
// need it. The suite of the repository does without it.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../", import.meta.url));
const SOURCE = join(REPOSITORY, "connector-apps/destinations/installation");

const lock = readFileSync(join(SOURCE, "package-lock.json"));
const hash = createHash("sha256").update(lock).digest("hex").slice(0, 16);
const folder = join(REPOSITORY, ".cache/destinations", hash);

if (!existsSync(folder)) {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(SOURCE, name), join(unfinished, name));
  const quiet = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["ci", ...quiet], unfinished);
  renameSync(unfinished, folder);
}
// What is written down depends on the code of the repository too.
rmSync(join(folder, "records"), { recursive: true, force: true });
const source = ["--conditions=@muster/source", "--import", "tsx"];
run(process.execPath, [...source, "connector-apps/destinations/src/install/describe.ts", folder], REPOSITORY);
run("npx", ["vitest", "run", "--config", "vitest.destinations.config.ts", ...process.argv.slice(2)], REPOSITORY, {
  DESTINATIONS_INSTALLATION: folder,
});

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @param {Record<string, string>} more
 */
function run(program, args, cwd, more = {}) {
  const { status } = spawnSync(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...more } });
  if (status !== 0) process.exit(status ?? 1);
}
