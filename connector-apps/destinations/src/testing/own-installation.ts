import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECORDS_FOLDER } from "../catalogue.js";
import { DestinationPackage, OWN_FOLDER } from "../package/destination-package.js";
import { describeDestination } from "../record/describe-destination.js";
import { installation } from "./installation.js";

/** An installation with destinations that somebody wrote: their code, by their names. */
export function ownInstallation(sources: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "muster-destinations-"));
  symlinkSync(join(installation(), "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), "{}");
  mkdirSync(join(folder, RECORDS_FOLDER));
  const installed = new DestinationPackage(folder);
  for (const [name, source] of Object.entries(sources)) {
    mkdirSync(join(folder, OWN_FOLDER, name), { recursive: true });
    writeFileSync(join(folder, OWN_FOLDER, name, "index.js"), source);
    const record = describeDestination(name, installed.load(name), "1");
    writeFileSync(join(folder, RECORDS_FOLDER, `${name}.json`), JSON.stringify(record));
  }
  return folder;
}
