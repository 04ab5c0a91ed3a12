/** The scheme of the addresses of connectors that the server runs itself. */
const SCHEME = "muster:";

/** The path of this server under which others reach the pages and webhooks of these connectors. */
export const BUNDLED_PATH = "/bundled";

/** The connectors that come with Muster and that people can install. */
export const SHIPPED_NAMES = [
  "incoming-webhooks",
  "outgoing-webhooks",
  "processor",
  "sql-importer",
  "warehouse",
] as const;
/** All connectors that the server can run: the shipped ones, and one that stands for a service of the demo. */
export const BUNDLED_NAMES = [...SHIPPED_NAMES, "old-crm"] as const;
export type BundledName = (typeof BUNDLED_NAMES)[number];

const DESTINATIONS = ".destinations";
const DESTINATION_HOST = /^[a-z0-9][a-z0-9-]{0,99}\.destinations$/;
/** A destination of the package that is installed apart, such as `slack.destinations`. */
export type DestinationHost = `${string}.destinations`;
/** A connector that the server runs itself. */
export type OwnName = BundledName | DestinationHost;

/**
 * The address that is stored for a connector that comes with Muster. It names no machine and no port: each process of the
 * server finds the connector in its own child process.
 * @example bundledUrl("processor") // "muster://processor"
 */
export function bundledUrl(name: OwnName): string {
  return `${SCHEME}//${name}`;
}

export function isBundledName(text: string): text is BundledName {
  return BUNDLED_NAMES.some((name) => name === text);
}

/** Whether a text has the form of a destination's name. Whether it is installed is another question. */
export function isDestinationHost(text: string): text is DestinationHost {
  return DESTINATION_HOST.test(text);
}

export function isOwnName(text: string): text is OwnName {
  return isBundledName(text) || isDestinationHost(text);
}

/** @example destinationHost("slack") // "slack.destinations" */
export function destinationHost(destination: string): DestinationHost {
  return `${destination}${DESTINATIONS}`;
}

/** @example destinationOf("slack.destinations") // "slack" */
export function destinationOf(host: DestinationHost): string {
  return host.slice(0, -DESTINATIONS.length);
}

export function isBundledUrl({ protocol }: URL): boolean {
  return protocol === SCHEME;
}

/** The connector that an address names. Undefined when it has another scheme, or the server runs no such connector. */
export function bundledNameOf(url: URL): OwnName | undefined {
  return isBundledUrl(url) && isOwnName(url.host) ? url.host : undefined;
}

/** Scheme and host. `URL.origin` is "null" for a scheme that browsers do not know. */
export function originOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}
