import { readFileSync } from "node:fs";
import { join } from "node:path";
import { manifestOf, readCatalogue, readRecord } from "@muster/destinations/catalogue";
import type { CatalogueEntry as ShownEntry } from "@muster/protocol/api/catalogue";
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
  /** The names of those that are offered, or `all`, or `none`. */
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
    const { folder } = this.#options;
    const { version = "", destinations = [] } = readCatalogue(folder) ?? {};
    return destinations
      .filter(({ name }) => this.#isAllowed(name))
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

  /** A destination by the address of its manifest; undefined when it is not installed. */
  find(manifestUrl: string): BundledEntry | undefined {
    const host = URL.canParse(manifestUrl) ? bundledNameOf(new URL(manifestUrl)) : undefined;
    if (host === undefined || !isDestinationHost(host)) return undefined;
    const name = destinationOf(host);
    const record = readRecord(this.#options.folder, name);
    if (!record) return undefined;
    return {
      manifestUrl: manifestUrlOf(name),
      sourceUrl: bundledUrl(host),
      manifest: { ...manifestOf(record) },
      updatedAt: new Date(0),
      readme: readFileSync(join(findChild().connectorsFolder, "destinations", "README.md"), "utf8"),
    };
  }

  #isAllowed(name: string): boolean {
    const { allowed } = this.#options;
    return allowed.includes("all") || allowed.includes(name);
  }
}

function manifestUrlOf(name: string): string {
  return `${bundledUrl(destinationHost(name))}/manifest.json`;
}
