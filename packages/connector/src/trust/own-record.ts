import { isObject } from "@muster/protocol";
import type { ConnectorRecord } from "../connector-record.js";
import { RequestError } from "../errors/request-error.js";

/** The variable that lists the addresses of a connector when the option does not. */
const VARIABLE = "CONNECTOR_URLS";

/**
 * Tells the records of this connector from those of other connectors that the same organization has installed. Muster
 * vouches for the credentials of all of them, so right credentials alone do not show that a call is for this connector.
 */
export class OwnRecord {
  readonly #name: string;
  readonly #urls: ReadonlySet<string>;

  /** Without addresses, the connector is recognised by the name in the manifest that Muster has read. */
  constructor(name: string, urls: readonly string[]) {
    this.#name = name;
    this.#urls = new Set(urls.map(readUrl));
  }

  /** Throws when the record is that of another connector. */
  require(record: ConnectorRecord): void {
    if (this.#isOwn(record)) return;
    const advice = `If they are its own, refresh its manifest in Muster, or give its address in ${VARIABLE}.`;
    const message = `The credentials are those of another connector, "${record.name.slice(0, 200)}". ${advice}`;
    throw new RequestError(401, "invalid_credentials", message);
  }

  #isOwn({ source_url: url, manifest }: ConnectorRecord): boolean {
    if (this.#urls.size > 0) return url !== null && URL.canParse(url) && this.#urls.has(canonicalUrl(url));
    // Muster always sends the manifest, be it empty. Only a test that wrote the record itself leaves it out.
    return manifest === undefined || (isObject(manifest) && manifest.name === this.#name);
  }
}

/** The addresses of the option, or else those of the environment. */
export function listOwnUrls(given: readonly string[] | undefined, environment: NodeJS.ProcessEnv): string[] {
  const entries = given ?? environment[VARIABLE]?.split(",") ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

function readUrl(entry: string): string {
  if (/^(https?|muster):\/\//i.test(entry) && URL.canParse(entry)) return canonicalUrl(entry);
  throw new Error(
    `"${entry}" in ${VARIABLE} or the option \`urls\` is not an address: give addresses such as https://crm.example.com.`,
  );
}

function canonicalUrl(url: string): string {
  // Not `origin`, which only addresses of the web have. A server gives the connectors that it runs another scheme.
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, "")}`;
}
