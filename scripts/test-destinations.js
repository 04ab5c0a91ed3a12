// `npm run test:destinations`: installs the package of destinations once for each version of its lock file, and runs the tests that
// need it. The suite of the repository does without it. With `--part`, only a part of them, another one at each commit.

import { installDestinations, REPOSITORY, runOrExit } from "./install-destinations.js";
import { shardOfCommit } from "./long-tests.js";

const folder = installDestinations();
const args = shardOfCommit(process.argv.slice(2), REPOSITORY);
runOrExit("npx", ["vitest", "run", "--config", "vitest.destinations.config.ts", ...args], REPOSITORY, {
  DESTINATIONS_INSTALLATION: folder,
});
