// Builds what is out of date: `node scripts/build.js` everything, `node scripts/build.js server browser` these two.

import { BUILDS } from "./builds/builds.js";
import { DASHBOARD, markDashboard } from "./builds/dashboard.js";
import { REPOSITORY } from "./builds/freshness.js";
import { runBuild, staleOf } from "./builds/run-builds.js";

process.chdir(REPOSITORY);
const names = process.argv.slice(2);
const unknown = names.filter((name) => !BUILDS.some((build) => build.name === name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")} to build: only ${BUILDS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}
const chosen = names.length === 0 ? BUILDS : BUILDS.filter(({ name }) => names.includes(name));
// One after the other, and each asked when its turn comes: the packages contain the command.
for (const build of chosen) {
  if (staleOf([build]).length > 0) await runBuild(build);
  // Another start has built it in the meantime.
  else if (build === DASHBOARD) markDashboard(false);
}
