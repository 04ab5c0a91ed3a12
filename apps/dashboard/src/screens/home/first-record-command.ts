export interface CommandPlace {
  /** The address of the server. */
  url: string;
  namespace: string;
  /** The ids of the connectors that the organization has. */
  connectorIds: readonly string[];
}

/** What somebody pastes into a terminal to send a first record. A write key is of a connector, so there must be one. */
export function firstRecordCommand({ url, namespace, connectorIds }: CommandPlace): string {
  const place = `--url ${url} --org ${namespace}`;
  const [connector] = connectorIds;
  return [
    ...(connector === undefined ? [`npx muster connector create Terminal ${place}`] : []),
    `eval "$(npx muster connector credentials ${connector ?? "Terminal"} --env ${place})"`,
    `curl -u "$MUSTER_WRITE_KEY:" ${url}/v1/identify \\`,
    `  -d '{"userId": "ada", "traits": {"name": "Ada", "plan": "pro"}}'`,
  ].join("\n");
}
