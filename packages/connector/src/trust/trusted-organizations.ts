import { isIP } from "node:net";
import { RequestError } from "../errors/request-error.js";
import { isLoopback } from "./loopback.js";

/** The variable that lists the organizations of a connector when the option does not. */
const VARIABLE = "ORGANIZATIONS";
const DEFAULT_LABEL = "default.";

export interface TrustedOrganizationsOptions {
  /** The scheme of the platform's addresses. On this machine `http` is accepted as well. Default `https`. */
  protocol?: "http" | "https" | undefined;
  /** The address of the one Muster that is asked about every organization. Then no list is needed. */
  platformUrl?: string | undefined;
}

/**
 * The hosts of the organizations that a connector serves. The caller names an organization, and the connector asks the
 * organization's host to verify the credentials. It asks configured hosts only, or a caller could name its own.
 */
export class TrustedOrganizations {
  readonly #hosts: ReadonlySet<string>;
  /** Endings such as `.example.com`, of entries such as `*.example.com`. */
  readonly #endings: readonly string[];
  readonly #protocol: "http" | "https";
  readonly #platform: URL | undefined;

  constructor(entries: readonly string[], { protocol = "https", platformUrl }: TrustedOrganizationsOptions = {}) {
    const hosts = entries.map(readEntry);
    this.#hosts = new Set(hosts.filter((host) => !host.startsWith("*")).flatMap(namesOf));
    this.#endings = hosts.filter((host) => host.startsWith("*")).map((host) => host.slice(1));
    this.#protocol = protocol;
    this.#platform = platformUrl === undefined ? undefined : new URL(platformUrl);
  }

  get isEmpty(): boolean {
    return this.#platform === undefined && this.#hosts.size + this.#endings.length === 0;
  }

  /** Whether the connector serves the organization with this host. */
  allows(organization: string): boolean {
    // A caller who names an organization that the platform does not have is refused by the platform.
    if (this.#platform) return true;
    const host = canonicalHost(organization);
    return this.#hosts.has(host) || this.#endings.some((ending) => host.endsWith(ending) && host !== ending);
  }

  /** Throws unless the connector serves the organization with this host. */
  require(organization: string): void {
    if (this.allows(organization)) return;
    const advice = `Its operator can add it to ${VARIABLE}.`;
    const message = `The connector does not serve "${organization.slice(0, 200)}". ${advice}`;
    throw new RequestError(403, "unknown_organization", message);
  }

  /**
   * Where to fetch a key or a file of an organization's platform. Undefined when the address is not the platform's. With
   * one platform it is always there: only the path is the caller's choice.
   */
  locate(url: string, organization: string): string | undefined {
    if (!this.#platform) return this.ownsUrl(url, organization) ? url : undefined;
    if (!URL.canParse(url)) return undefined;
    const { pathname, search } = new URL(url);
    return `${this.#platform.origin}${pathname}${search}`;
  }

  /**
   * Whether an address belongs to the platform of an organization: it is on the organization's host, or on another host
   * of the same domain that is listed too. The platform's keys and files are at such addresses.
   */
  ownsUrl(url: string, organization: string): boolean {
    if (!URL.canParse(url)) return false;
    const { protocol, host, username, password } = new URL(url);
    if (username !== "" || password !== "") return false;
    const isHttp = protocol === "http:" && (this.#protocol === "http" || isLoopback(host));
    if (protocol !== "https:" && !isHttp) return false;
    if (canonicalHost(host) === canonicalHost(organization)) return true;
    const domain = domainOf(organization);
    return this.allows(host) && (domainOf(host) === domain || nameOf(host) === domain);
  }
}

/** The organizations of the option, or else those of the environment. */
export function listOrganizations(given: readonly string[] | undefined, environment: NodeJS.ProcessEnv): string[] {
  const entries = given ?? environment[VARIABLE]?.split(",") ?? [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** The host of an entry in the form that hosts are compared in. The entry may be the address of the platform too. */
function readEntry(entry: string): string {
  const host = /^https?:\/\//i.test(entry) && URL.canParse(entry) ? new URL(entry).host : entry;
  const [, wildcard = "", name = ""] = /^(\*\.)?([\w-]+(?:\.[\w-]+)*(?::\d{1,5})?)$/.exec(host) ?? [];
  // A domain of one label, such as `com`, does not belong to one platform.
  const isTooWide = wildcard !== "" && !name.includes(".") && !isLoopback(name);
  if (name === "" || isTooWide) {
    throw new Error(
      `"${entry}" in ${VARIABLE} or the option \`organizations\` is not a host: give hosts such as acme.example.com, localhost:8080 or *.example.com.`,
    );
  }
  return isLoopback(name) ? canonicalHost(name) : `${wildcard}${canonicalHost(name)}`;
}

/** All names of this machine are one host, so that `localhost:8080` allows `127.0.0.1:8080` and `acme.localhost:8080`. */
function canonicalHost(host: string): string {
  const lower = host.toLowerCase();
  return isLoopback(lower) ? `localhost${/:\d+$/.exec(lower)?.[0] ?? ""}` : lower;
}

/**
 * A host, and the other name of the same platform: the default organization of a platform is at `default.` before the
 * platform's own host. A connector that is configured with one of the two names is called with both.
 */
function namesOf(host: string): string[] {
  const platform = host.startsWith(DEFAULT_LABEL) ? host.slice(DEFAULT_LABEL.length) : host;
  return platform.includes(".") && isIP(nameOf(platform)) === 0 ? [platform, `${DEFAULT_LABEL}${platform}`] : [host];
}

function nameOf(host: string): string {
  return canonicalHost(host).replace(/:\d+$/, "");
}

/** The domain that a platform and its organizations share. A host of two labels is such a domain itself. */
function domainOf(host: string): string {
  const name = nameOf(host);
  const labels = isIP(name) === 0 ? name.split(".") : [name];
  return labels.length > 2 ? labels.slice(1).join(".") : labels.join(".");
}
