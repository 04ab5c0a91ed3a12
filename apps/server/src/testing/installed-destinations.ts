import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findChild } from "../outbound/bundled/find-child.js";

/** A folder that says that the package of destinations is installed in it: a server installs nothing there, and reaches no registry. */
export function installedDestinations(parent: string): string {
  const folder = join(parent, "destinations");
  mkdirSync(folder);
  const lock = readFileSync(join(findChild().connectorsFolder, "destinations/installation/package-lock.json"));
  writeFileSync(join(folder, "installed.txt"), createHash("sha256").update(lock).digest("hex"));
  writeFileSync(join(folder, "catalogue.json"), JSON.stringify({ version: "3.497.0", destinations: [] }));
  return folder;
}
