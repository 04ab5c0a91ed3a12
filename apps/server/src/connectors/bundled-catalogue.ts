import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { BUNDLED_NAMES, bundledNameOf, bundledUrl, SHIPPED_NAMES } from "../domain/connectors/bundled-address.js";
import { findChild } from "../outbound/bundled/find-child.js";
import { lazily } from "../runtime/loops/lazily.js";
import type { CatalogueEntry } from "../storage/postgres/connectors/catalogue.js";

export interface BundledEntry extends CatalogueEntry {
  readme: string;
}

/** The connectors that come with Muster, read from their files: nobody has to start them to look at them. */
export const bundledEntries = lazily((): readonly BundledEntry[] => {
  const { connectorsFolder } = findChild();
  return BUNDLED_NAMES.map((name) => {
    const file = join(connectorsFolder, name, "manifest.json");
    return {
      manifestUrl: `${bundledUrl(name)}/manifest.json`,
      sourceUrl: bundledUrl(name),
      // A file of ours, which the tests of the connector check.
      manifest: JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>,
      updatedAt: statSync(file).mtime,
      readme: readFileSync(join(connectorsFolder, name, "README.md"), "utf8"),
    };
  });
});

/** Those that are offered to everybody. */
export function shippedEntries(): readonly BundledEntry[] {
  const offered = new Set<string>(SHIPPED_NAMES.map(bundledUrl));
  return bundledEntries().filter(({ sourceUrl }) => offered.has(sourceUrl));
}

/** Whether an address in the catalogue is that of a connector that comes with Muster. */
export function isBundledAddress(address: string): boolean {
  return URL.canParse(address) && bundledNameOf(new URL(address)) !== undefined;
}
