import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DESTINATION_NAME } from "./destination-name.js";
import { manifestOf } from "./manifest/manifest-of.js";
import type { DestinationRecord } from "./record/destination-record.js";

export { manifestOf };

export const CATALOGUE_FILE = "catalogue.json";
export const RECORDS_FOLDER = "records";

export interface CatalogueFile {
  /** The version of the package. */
  version: string;
  destinations: Pick<DestinationRecord, "name" | "title" | "summary" | "categories">[];
}

/** What is installed; undefined when nothing is, or when the installation was not finished. */
export function readCatalogue(folder: string): CatalogueFile | undefined {
  return readJson(join(folder, CATALOGUE_FILE)) as CatalogueFile | undefined;
}

/** What a destination declares; undefined when it is not installed. */
export function readRecord(folder: string, name: string): DestinationRecord | undefined {
  if (!DESTINATION_NAME.test(name)) return undefined;
  return readJson(join(folder, RECORDS_FOLDER, `${name}.json`)) as DestinationRecord | undefined;
}

/** Whether a destination can be called: it is described, and the package is not being replaced. */
export function isInstalled(folder: string, name: string): boolean {
  const files = [CATALOGUE_FILE, join(RECORDS_FOLDER, `${name}.json`)];
  return DESTINATION_NAME.test(name) && files.every((file) => existsSync(join(folder, file)));
}

/** The files are written by `describePackage`. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
