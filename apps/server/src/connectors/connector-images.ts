import { readManifest } from "@muster/protocol/manifest";
import { LRUCache } from "lru-cache";
import { originOf } from "../domain/connectors/bundled-address.js";
import { imageAddress, namedImage } from "../domain/connectors/image-address.js";
import { inlineImage } from "../domain/connectors/inline-image.js";
import type { GuardedFetch } from "../outbound/guarded-fetch.js";
import { OutboundError } from "../outbound/outbound-error.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import { fetchReadme } from "./fetch-readme.js";

export interface ConnectorImagesOptions {
  /** For the origin of a connector, which its operator trusts. */
  fetch: TrustedFetch;
  /** For all other hosts. */
  guardedFetch: GuardedFetch;
}

/** Where a connector runs, and its manifest. */
interface Source {
  sourceUrl: string | null;
  manifest: unknown;
}

/** An image as a `data:` address; empty when there is none that can be shown. */
type Inlined = string;

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;
const KEPT_MS = 10 * 60 * 1_000;
// A connector that did not answer may have been started in the meantime.
const FAILURE_KEPT_MS = 30_000;
const README_KEPT_MS = 60_000;

/**
 * Images of connectors for the dashboard: pictures, images in readmes, and values of settings. The server fetches them, so
 * that no browser of a member calls a stranger's host, and answers with their content and not with a file at its own
 * origin.
 */
export class ConnectorImages {
  readonly #options: ConnectorImagesOptions;
  readonly #images = new LRUCache<string, Inlined>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (image, url) => image.length + url.length + 1,
  });
  readonly #readmes = new LRUCache<string, string>({ max: 100, ttl: README_KEPT_MS });

  constructor(options: ConnectorImagesOptions) {
    this.#options = options;
  }

  /**
   * An image that the manifest or the readme names; without a name, the picture. Undefined when neither names it, or it
   * cannot be shown.
   */
  async findNamed({ sourceUrl, manifest }: Source, given?: string): Promise<string | undefined> {
    const src = given ?? readManifest(manifest).picture;
    if (sourceUrl === null || src === undefined) return undefined;
    const url =
      namedImage(src, { sourceUrl, manifest, readme: undefined }) ??
      namedImage(src, { sourceUrl, manifest, readme: await this.#readme(sourceUrl, manifest) });
    return url && this.#fetch(sourceUrl, url);
  }

  /** An image at any address, such as the one that an owner writes into a setting. */
  async findAny({ sourceUrl }: Source, src: string): Promise<string | undefined> {
    const url = imageAddress(src, sourceUrl ?? "https://connector.invalid");
    return url && this.#fetch(sourceUrl, url);
  }

  async #readme(sourceUrl: string, manifest: unknown): Promise<{ path: string; text: string } | undefined> {
    const { readme: path } = readManifest(manifest);
    if (path === undefined) return undefined;
    const key = `${sourceUrl} ${path}`;
    const cached = this.#readmes.get(key);
    if (cached !== undefined) return { path, text: cached };
    const text = await fetchReadme(this.#options.fetch, sourceUrl, path);
    if (text === undefined) return undefined;
    this.#readmes.set(key, text);
    return { path, text };
  }

  async #fetch(sourceUrl: string | null, url: URL): Promise<string | undefined> {
    const isOwn = sourceUrl !== null && originOf(url) === originOf(new URL(sourceUrl));
    // Whoever has not installed the connector does not get images of a private address from the cache.
    const key = `${isOwn ? "own" : "other"} ${url.href}`;
    const cached = this.#images.get(key);
    if (cached !== undefined) return cached === "" ? undefined : cached;
    const image = await this.#download(url, isOwn);
    this.#images.set(key, image ?? "", { ttl: image === undefined ? FAILURE_KEPT_MS : KEPT_MS });
    return image;
  }

  async #download(url: URL, isOwn: boolean): Promise<string | undefined> {
    const { fetch, guardedFetch } = this.#options;
    try {
      const answer = await (isOwn ? fetch : guardedFetch)(url.href, {
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        headers: { accept: "image/png, image/jpeg, image/gif, image/webp" },
      });
      if (answer.status !== 200) {
        answer.body.destroy();
        return undefined;
      }
      const chunks: Buffer[] = [];
      // Without an encoding set, a body gives buffers.
      for await (const chunk of answer.body) chunks.push(chunk as Buffer);
      return inlineImage(Buffer.concat(chunks));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return undefined;
    }
  }
}
