import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CATALOGUE_FILE, type CatalogueFile, RECORDS_FOLDER } from "../catalogue.js";
import { DestinationPackage, OWN_FOLDER } from "../package/destination-package.js";
import { describeDestination } from "./describe-destination.js";

/**
 * Writes down what all destinations of an installation declare. Afterwards manifests, forms and the gallery need no
 * destination to be loaded. Run it in a process of its own: the whole package stays in memory.
 */
export function describePackage(folder: string): CatalogueFile {
  const installed = new DestinationPackage(folder);
  const { version } = installed;
  const names = ownNames(folder);
  const all = [
    ...[...installed.loadAll()].filter(([name]) => !names.includes(name)),
    ...names.map((name) => [name, installed.load(name)] as const),
  ];
  const records = all.map(([name, definition]) => describeDestination(name, definition, version));
  records.sort((one, other) => one.title.localeCompare(other.title, "en"));
  const target = join(folder, RECORDS_FOLDER);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const record of records) writeFileSync(join(target, `${record.name}.json`), JSON.stringify(record));
  const catalogue: CatalogueFile = {
    version,
    destinations: records.map(({ name, title, summary, categories }) => ({ name, title, summary, categories })),
  };
  // Written last: an installation without this file is incomplete.
  writeFileSync(join(folder, CATALOGUE_FILE), JSON.stringify(catalogue));
  return catalogue;
}

function ownNames(folder: string): string[] {
  const own = join(folder, OWN_FOLDER);
  return existsSync(own) ? readdirSync(own) : [];
}
