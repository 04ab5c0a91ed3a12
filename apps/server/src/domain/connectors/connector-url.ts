import { BUNDLED_PATH, bundledNameOf, originOf } from "./bundled-address.js";
import type { Connector } from "./connector.js";

/** The address of a path of a connector. It is always at the origin that the operator installed. */
export function connectorUrl({ sourceUrl }: Connector, path: string): URL {
  if (sourceUrl === null) throw new Error("A connector without a manifest has no address.");
  const url = new URL(`${sourceUrl}/${path.replace(/^\/+/, "")}`);
  if (originOf(url) !== originOf(new URL(sourceUrl))) throw new Error(`${path} is not at ${sourceUrl}.`);
  return url;
}

/**
 * The place of a connector that is meant by an address it gives, undefined when the address is at another host. Older
 * connectors know only the name of their host and leave out the port, so the port and the scheme are those that the
 * operator installed.
 */
export function ownUrl({ sourceUrl }: Connector, address: URL): URL | undefined {
  const source = sourceUrl === null ? undefined : new URL(sourceUrl);
  if (source?.hostname !== address.hostname) return undefined;
  return new URL(`${originOf(source)}${address.pathname}${address.search}`);
}

/** The address of a path of a connector with the connector's credentials in the query: for pages, schedules and single notifications. */
export function credentialedUrl(connector: Connector, organization: string, path: string): URL {
  return withCredentials(connectorUrl(connector, path), connector, organization);
}

export function withCredentials(url: URL, connector: Connector, organization: string): URL {
  const credentialed = new URL(url);
  const credentials = { organization, ship: connector.id, id: connector.id, secret: connector.secret };
  for (const [name, value] of Object.entries(credentials)) credentialed.searchParams.set(name, value);
  return credentialed;
}

/**
 * Where a browser finds a path of a connector. A connector that the server runs itself has no address of its own: the server
 * passes requests below a path on to it.
 */
export function browserUrl(connector: Connector, path: string, serverUrl: string): URL {
  const url = connectorUrl(connector, path);
  const name = bundledNameOf(url);
  return name === undefined ? url : new URL(`${serverUrl}${BUNDLED_PATH}/${name}${url.pathname}${url.search}`);
}
