import type { CatalogueDetails, CatalogueEntry as ShownEntry } from "@muster/protocol/api/catalogue";
import { checkManifest, type ManifestProblem, readManifest } from "@muster/protocol/manifest";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import {
  findInCatalogue,
  listCatalogue,
  removeFromCatalogue,
  saveToCatalogue,
} from "../storage/postgres/connectors/catalogue.js";
import type { Database } from "../storage/postgres/database.js";
import { type BundledEntry, bundledEntries, isBundledAddress, shippedEntries } from "./bundled-catalogue.js";
import type { ConnectorImages } from "./connector-images.js";
import type { DestinationCatalogue } from "./destination-catalogue.js";
import { type FetchedManifest, fetchManifest } from "./fetch-manifest.js";
import { fetchReadme } from "./fetch-readme.js";

export interface CheckedManifest extends FetchedManifest {
  /** What is wrong or unusual in the manifest. */
  problems: ManifestProblem[];
}

export interface CatalogueOptions {
  database: Database;
  fetch: TrustedFetch;
  images: ConnectorImages;
  /** Whether this server runs the connectors that come with it. */
  hasBundled: boolean;
  destinations: DestinationCatalogue;
}

/** The connectors that can be installed: those that come with Muster, and every manifest that was installed or looked at. */
export class Catalogue {
  readonly #database: Database;
  readonly #fetch: TrustedFetch;
  readonly #images: ConnectorImages;
  readonly #hasBundled: boolean;
  readonly #destinations: DestinationCatalogue;

  constructor({ database, fetch, images, hasBundled, destinations }: CatalogueOptions) {
    this.#database = database;
    this.#images = images;
    this.#fetch = fetch;
    this.#hasBundled = hasBundled;
    this.#destinations = destinations;
  }

  async list(organizationId: string): Promise<ShownEntry[]> {
    const seen = await listCatalogue(this.#database, organizationId);
    const others = seen.filter(({ manifestUrl }) => !isBundledAddress(manifestUrl));
    const entries = [...(this.#hasBundled ? shippedEntries() : []), ...others];
    const shown = entries.map(({ manifestUrl, sourceUrl, manifest, updatedAt }) => {
      const { name, version, description, picture, tags } = readManifest(manifest);
      return {
        manifest_url: manifestUrl,
        source_url: sourceUrl,
        name: name ?? "",
        version: version ?? null,
        description: description ?? null,
        picture: picture === undefined ? null : new URL(picture, `${sourceUrl}/`).href,
        image: picture ?? null,
        tags,
        categories: [],
        bundled: isBundledAddress(manifestUrl),
        updated_at: updatedAt.toISOString(),
      };
    });
    return this.#hasBundled ? [...shown, ...this.#destinations.list()] : shown;
  }

  /** Fetches the manifest at an address and adds it. */
  async add(organizationId: string, url: string): Promise<CheckedManifest> {
    const fetched = await fetchManifest(this.#fetch, url);
    await saveToCatalogue(this.#database, organizationId, fetched);
    return { ...fetched, problems: checkManifest(fetched.manifest) };
  }

  /** The manifest as it was last fetched, with the readme of the connector. Undefined when it is not in the catalogue. */
  async find(organizationId: string, manifestUrl: string): Promise<CatalogueDetails | undefined> {
    const bundled = this.#findBundled(manifestUrl);
    const entry = bundled ?? (await this.#findSeen(organizationId, manifestUrl));
    if (!entry) return undefined;
    const { sourceUrl, manifest } = entry;
    const { readme } = readManifest(manifest);
    const text =
      readme === undefined ? undefined : (bundled?.readme ?? (await fetchReadme(this.#fetch, sourceUrl, readme)));
    return {
      manifest_url: manifestUrl,
      source_url: sourceUrl,
      manifest,
      problems: checkManifest(manifest),
      readme: text ?? null,
    };
  }

  /** An image that the manifest or the readme of a connector names. Undefined when the connector is not in the catalogue. */
  async findImage(
    organizationId: string,
    manifestUrl: string,
    src: string | undefined,
  ): Promise<{ image: string | null } | undefined> {
    const entry = this.#findBundled(manifestUrl) ?? (await this.#findSeen(organizationId, manifestUrl));
    return entry && { image: (await this.#images.findNamed(entry, src)) ?? null };
  }

  #findBundled(manifestUrl: string): BundledEntry | undefined {
    if (!this.#hasBundled) return undefined;
    return bundledEntries().find((entry) => entry.manifestUrl === manifestUrl) ?? this.#destinations.find(manifestUrl);
  }

  /** What was installed or looked at before. A connector of the server itself may not be allowed any more. */
  async #findSeen(organizationId: string, manifestUrl: string): ReturnType<typeof findInCatalogue> {
    return isBundledAddress(manifestUrl) ? undefined : findInCatalogue(this.#database, organizationId, manifestUrl);
  }

  remove(organizationId: string, manifestUrl: string): Promise<boolean> {
    return removeFromCatalogue(this.#database, organizationId, manifestUrl);
  }
}
