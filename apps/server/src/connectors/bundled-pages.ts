import type { Readable } from "node:stream";
import { Refusal } from "@muster/protocol";
import { bundledUrl, isOwnName, type OwnName } from "../domain/connectors/bundled-address.js";
import type { OutboundAnswer } from "../outbound/exchange.js";
import { OutboundError } from "../outbound/outbound-error.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { ConnectorDirectory } from "./connector-directory.js";

export interface BundledPagesOptions {
  fetch: TrustedFetch;
  directory: Pick<ConnectorDirectory, "all">;
}

/** A request for a page or a webhook of a connector that comes with Muster. */
export interface PageRequest {
  method: string;
  /** The path and the query below the connector. */
  path: string;
  headers: Record<string, string>;
  /** As it comes: the connector checks the credentials before it reads any of it. */
  body: Readable | undefined;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Passes requests of browsers and of other services on to the connectors that this server runs: they have no address of their
 * own. The connectors check the credentials or the token of a request themselves.
 */
export class BundledPages {
  readonly #options: BundledPagesOptions;

  constructor(options: BundledPagesOptions) {
    this.#options = options;
  }

  /** Refuses a name that no organization has installed: a stranger must not start the process of connectors that nobody uses. */
  requireInstalled(name: string): OwnName {
    if (isOwnName(name) && this.#isInstalled(name)) return name;
    throw new Refusal("not_found", `No connector "${name.slice(0, 100)}" that comes with Muster is installed.`);
  }

  async forward(name: OwnName, { path, ...request }: PageRequest): Promise<OutboundAnswer> {
    const { body, ...others } = request;
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    try {
      return await this.#options.fetch(`${bundledUrl(name)}${path}`, {
        ...others,
        ...limits,
        ...(body ? { body } : {}),
      });
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause;
      throw new Refusal("unavailable", `The connector does not answer: ${cause.message}`, { retryAfter: 5, cause });
    }
  }

  #isInstalled(name: OwnName): boolean {
    return this.#options.directory.all().some(({ connector }) => connector.sourceUrl === bundledUrl(name));
  }
}
