import type { Connector, ConnectorOptions } from "@muster/connector";
import type { BundledName } from "../domain/connectors/bundled-address.js";

type CreateConnector = (options: ConnectorOptions) => Connector;

/** Loads the code of a connector when it is called for the first time: most servers use one or two of them. */
const LOADERS: Record<BundledName, () => Promise<{ createConnector: CreateConnector }>> = {
  "incoming-webhooks": () => import("@muster/incoming-webhooks"),
  "old-crm": () => import("@muster/old-crm"),
  "outgoing-webhooks": () => import("@muster/outgoing-webhooks"),
  processor: () => import("@muster/processor"),
  "sql-importer": () => import("@muster/sql-importer"),
  warehouse: () => import("@muster/warehouse"),
};

export async function loadConnector(name: BundledName, options: ConnectorOptions): Promise<Connector> {
  const { createConnector } = await LOADERS[name]();
  return createConnector(options);
}
