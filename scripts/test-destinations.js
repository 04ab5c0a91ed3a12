// `npm run test:destinations`: installs the package of destinations once for each version of its lock file, and runs the tests that
// need it. The suite of the repository does without it. With `--part`, only a part of them, another one at each commit. At the end it
// prints what the tests found out about all destinations, and `.cache/destinations/table.txt` has a line for each destination.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { tableOf } from "./destination-table.js";
import { installDestinations, REPOSITORY, run } from "./install-destinations.js";
import { shardOfCommit } from "./long-tests.js";

const folder = installDestinations();
const args = shardOfCommit(process.argv.slice(2), REPOSITORY);
const found = mkdtempSync(join(tmpdir(), "muster-results-"));
const results = join(found, "results.jsonl");
const status = run("npx", ["vitest", "run", "--config", "vitest.destinations.config.ts", ...args], REPOSITORY, {
  DESTINATIONS_INSTALLATION: folder,
  DESTINATION_RESULTS: results,
});
printTable();
rmSync(found, { recursive: true });
process.exit(status);

function printTable() {
  const names = readdirSync(join(folder, "records")).map((file) => file.replace(/\.json$/, ""));
  const lines = existsSync(results) ? readFileSync(results, "utf8").trim().split("\n") : [];
  const { summary, rows } = tableOf(
    names.sort(),
    lines.map((line) => JSON.parse(line)),
  );
  writeFileSync(join(dirname(folder), "table.txt"), rows);
  process.stdout.write(`\n${summary}`);
}
