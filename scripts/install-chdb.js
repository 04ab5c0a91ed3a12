// chdb runs a real ClickHouse inside a process, for tests. Its library exists for linux-x64 only, so it is not a
// dependency of any package, and is installed in a folder of its own.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "3.4.0";
const FOLDER = fileURLToPath(new URL("../.cache/chdb", import.meta.url));

/**
 * Installs chdb unless it is installed already. Returns its folder; undefined on a platform that chdb does not exist for.
 *
 * @returns {string | undefined}
 */
export function installChdb() {
  if (`${process.platform}-${process.arch}` !== "linux-x64") return undefined;
  if (installedVersion() !== VERSION) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, "package.json"), JSON.stringify({ private: true }));
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `chdb@${VERSION}`];
    const { status, error } = spawnSync("npm", args, { stdio: "inherit", cwd: FOLDER });
    if (error) throw error;
    if (status !== 0) process.exit(status ?? 1);
  }
  return FOLDER;
}

/** @returns {string | undefined} */
function installedVersion() {
  try {
    return JSON.parse(readFileSync(join(FOLDER, "node_modules", "chdb", "package.json"), "utf8")).version;
  } catch {
    return undefined;
  }
}
