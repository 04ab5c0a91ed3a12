// `npm run destinations:update [VERSION]`: raises the package of destinations, writes its lock file, and tells which destinations
// changed in a way that touches the settings of connectors: what is gone, and what is required now. The settings themselves are
// kept, and the status of a connector names what does not fit.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareShapes, shapeOf } from "./destination-shapes.js";
import { INSTALLATION, installDestinations, REPOSITORY, runOrExit } from "./install-destinations.js";

const PACKAGE = "@segment/action-destinations";
const SHAPES = join(REPOSITORY, "connector-apps/destinations/shapes.json");

raise(process.argv[2] ?? "latest");
const records = join(installDestinations(), "records");
const shapes = Object.fromEntries(
  readdirSync(records)
    .sort()
    .map((file) => [file.replace(/\.json$/, ""), shapeOf(JSON.parse(readFileSync(join(records, file), "utf8")))]),
);
const changes = compareShapes(JSON.parse(readFileSync(SHAPES, "utf8")), shapes);
for (const change of changes) console.log(change);
console.log(
  changes.length === 0 ? "No setting of a connector is touched." : `${changes.length} changes touch settings.`,
);
writeFileSync(SHAPES, `${JSON.stringify(shapes, null, 1)}\n`);

/**
 * Writes package.json and the lock file with this version.
 *
 * @param {string} version
 */
function raise(version) {
  const folder = mkdtempSync(join(tmpdir(), "muster-update-"));
  cpSync(join(INSTALLATION, "package.json"), join(folder, "package.json"));
  const flags = ["--package-lock-only", "--ignore-scripts", "--save-exact", "--no-audit", "--no-fund"];
  runOrExit("npm", ["install", ...flags, `${PACKAGE}@${version}`], folder);
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  // The addresses would be those of the registry of this machine.
  if (lock.includes('"resolved"')) {
    throw new Error("The lock file names a registry: set omit-lockfile-registry-resolved in npm's configuration.");
  }
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(folder, name), join(INSTALLATION, name));
  rmSync(folder, { recursive: true });
}
