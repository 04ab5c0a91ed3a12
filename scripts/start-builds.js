// What `npm start` builds before it starts the server: only what has changed, so usually nothing. The server does not need the
// dashboard and the packages to begin with. They are built beside it.

import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";
import { BROWSER_LIBRARY } from "./builds/browser-library.js";
import { DASHBOARD, markDashboard } from "./builds/dashboard.js";
import { DECLARATIONS } from "./builds/declarations.js";
import { REPOSITORY } from "./builds/freshness.js";
import { MODULES } from "./builds/modules.js";
import { PACKAGES } from "./builds/packages.js";
import { COMMAND, SERVER } from "./builds/programs.js";
import { runBuild, staleOf } from "./builds/run-builds.js";

process.chdir(REPOSITORY);
const needed = staleOf([SERVER, MODULES, COMMAND, BROWSER_LIBRARY]);
if (needed.length > 0) {
  const startedAt = performance.now();
  console.log(`Building ${listed(needed)}: at the first start, and when something has changed.`);
  await Promise.all(needed.map(runBuild));
  if (process.exitCode === undefined) {
    console.log(`Built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s. Starting the server.`);
  }
}
if (process.exitCode === undefined) buildBeside(staleOf([DASHBOARD, DECLARATIONS, PACKAGES]));

/** @param {import("./builds/freshness.js").Build[]} builds */
function buildBeside(builds) {
  markDashboard(builds.includes(DASHBOARD));
  if (builds.length === 0) return;
  const script = join(REPOSITORY, "scripts/build.js");
  const child = spawn(process.execPath, [script, ...builds.map(({ name }) => name)], { stdio: "inherit" });
  // The server comes first.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  child.unref();
}

/** @param {import("./builds/freshness.js").Build[]} builds */
function listed(builds) {
  const titles = builds.map(({ title }) => title);
  const last = titles.pop() ?? "";
  return titles.length === 0 ? last : `${titles.join(", ")} and ${last}`;
}
