// Bundles the browser library into the one file that pages load, when a source is newer than the file.

import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../packages/browser/", import.meta.url));

const sources = readdirSync(join(PACKAGE, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
  .map((name) => join("src", name));
const newest = Math.max(...[...sources, "rolldown.config.js"].map((name) => timeOf(name) ?? 0));

if ((timeOf("dist/muster.js") ?? 0) < newest) {
  const { status, error, stdout, stderr } = spawnSync("npx", ["rolldown", "-c"], { cwd: PACKAGE, encoding: "utf8" });
  if (error) throw error;
  // The bundler reports every build, which is of interest only when it fails.
  if (status !== 0) process.stderr.write(stdout + stderr);
  process.exitCode = status ?? 1;
}

/** @param {string} name */
function timeOf(name) {
  return statSync(join(PACKAGE, name), { throwIfNoEntry: false })?.mtimeMs;
}
