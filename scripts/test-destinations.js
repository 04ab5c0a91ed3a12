// `npm run test:destinations`: installs the package of destinations once for each version of its lock file, and runs the tests that
// need it. The suite of the repository does without it.

import { installDestinations, REPOSITORY, runOrExit } from "./install-destinations.js";

const folder = installDestinations();
runOrExit("npx", ["vitest", "run", "--config", "vitest.destinations.config.ts", ...process.argv.slice(2)], REPOSITORY, {
  DESTINATIONS_INSTALLATION: folder,
});
