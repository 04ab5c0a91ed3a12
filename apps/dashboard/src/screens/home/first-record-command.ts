export interface CommandPlace {
  /** The address of the server. */
  url: string;
  namespace: string;
  brand: string;
  /** The ids of the connectors that the organization has. */
  connectorIds: readonly string[];
}

/** What somebody pastes into a terminal to send a first record. A token is of a connector, so there must be one. */
export function firstRecordCommand({ url, namespace, brand, connectorIds }: CommandPlace): string {
  const place = `--url ${url} --org ${namespace}`;
  const [connector] = connectorIds;
  const which = connector === undefined || connectorIds.length === 1 ? "" : ` --connector ${connector}`;
  return [
    ...(connector === undefined ? [`npx muster connector create Terminal ${place}`] : []),
    `TOKEN=$(npx muster token ${place}${which} --email ada@example.com)`,
    `curl -X PUT ${url}/api/v1/me/traits \\`,
    `  -H "${brand}-Organization: ${namespace}" \\`,
    `  -H "${brand}-Access-Token: $TOKEN" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"name": "Ada", "plan": "pro"}'`,
  ].join("\n");
}
