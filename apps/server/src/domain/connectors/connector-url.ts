import type { Connector } from "./connector.js";

/** The address of a path of a connector. It is always at the origin that the operator installed. */
export function connectorUrl({ sourceUrl }: Connector, path: string): URL {
  if (sourceUrl === null) throw new Error("A connector without a manifest has no address.");
  const url = new URL(`${sourceUrl}/${path.replace(/^\/+/, "")}`);
  if (url.origin !== new URL(sourceUrl).origin) throw new Error(`${path} is not at ${sourceUrl}.`);
  return url;
}

/** The same with the connector's credentials in the query: for pages, schedules and single notifications. */
export function credentialedUrl(connector: Connector, organization: string, path: string): URL {
  return withCredentials(connectorUrl(connector, path), connector, organization);
}

export function withCredentials(url: URL, connector: Connector, organization: string): URL {
  const credentialed = new URL(url);
  const credentials = { organization, ship: connector.id, id: connector.id, secret: connector.secret };
  for (const [name, value] of Object.entries(credentials)) credentialed.searchParams.set(name, value);
  return credentialed;
}
