import { readFileSync } from "node:fs";
import { join } from "node:path";
import { manifestOf, readCatalogue, readRecord } from "@muster/destinations/catalogue";
import type { CatalogueEntry as ShownEntry } from "@muster/protocol/api/catalogue";
import { isAllowedDestination } from "../domain/connectors/allowed-destinations.js";
import {
  bundledNameOf,
  bundledUrl,
  destinationHost,
  destinationOf,
  isDestinationHost,
} from "../domain/connectors/bundled-address.js";
import { findChild } from "../outbound/bundled/find-child.js";
import type { BundledEntry } from "./bundled-catalogue.js";

export interface DestinationCatalogueOptions {
  /** The installation of the package. Nothing has to be there. */
  folder: string;
  /** The names of those that the operator allows, or `all`, or `none`. */
  allowed: readonly string[];
}

/** The destinations of the package that is installed apart. Their files are read: nothing is loaded or started to look at them. */
export class DestinationCatalogue {
  readonly #options: DestinationCatalogueOptions;

  constructor(options: DestinationCatalogueOptions) {
    this.#options = options;
  }

  /** Those that are offered in the gallery. */
  list(): ShownEntry[] {
    const { folder, allowed } = this.#options;
    const { version = "", destinations = [] } = readCatalogue(folder) ?? {};
    return destinations
      .filter(({ name }) => isAllowedDestination(allowed, name))
      .map(({ name, title, summary, categories }) => ({
        manifest_url: manifestUrlOf(name),
        source_url: bundledUrl(destinationHost(name)),
        name: title,
        version,
        description: summary,
        picture: null,
        image: null,
        tags: ["smart-notifier", "outgoing"],
        categories,
        bundled: true,
        updated_at: new Date(0).toISOString(),
      }));
  }

  /** A destination by the address of its manifest; undefined when it is not installed or not allowed. */
  find(manifestUrl: string): BundledEntry | undefined {
    const host = URL.canParse(manifestUrl) ? bundledNameOf(new URL(manifestUrl)) : undefined;
    if (host === undefined || !isDestinationHost(host)) return undefined;
    const name = destinationOf(host);
    const { folder, allowed } = this.#options;
    const record = isAllowedDestination(allowed, name) ? readRecord(folder, name) : undefined;
    if (!record) return undefined;
    return {
      manifestUrl: manifestUrlOf(name),
      sourceUrl: bundledUrl(host),
      manifest: { ...manifestOf(record) },
      updatedAt: new Date(0),
      readme: readFileSync(join(findChild().connectorsFolder, "destinations", "README.md"), "utf8"),
    };
  }
}

function manifestUrlOf(name: string): string {
  return `${bundledUrl(destinationHost(name))}/manifest.json`;
}
