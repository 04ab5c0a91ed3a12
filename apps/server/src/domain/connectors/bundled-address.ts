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

/**
 * The address that is stored for a connector that comes with Muster. It names no machine and no port: each process of the
 * server finds the connector in its own child process.
 * @example bundledUrl("processor") // "muster://processor"
 */
export function bundledUrl(name: BundledName): string {
  return `${SCHEME}//${name}`;
}

export function isBundledName(text: string): text is BundledName {
  return BUNDLED_NAMES.some((name) => name === text);
}

export function isBundledUrl({ protocol }: URL): boolean {
  return protocol === SCHEME;
}

/** The connector that an address names. Undefined when it has another scheme, or no such connector comes with Muster. */
export function bundledNameOf(url: URL): BundledName | undefined {
  return isBundledUrl(url) && isBundledName(url.host) ? url.host : undefined;
}

/** Scheme and host. `URL.origin` is "null" for a scheme that browsers do not know. */
export function originOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}
