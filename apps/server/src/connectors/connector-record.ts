import type { Connector as ConnectorRecord, OwnConnector } from "@muster/protocol/api/connectors";
import type { ConnectorStatus } from "@muster/protocol/api/status";
import type { Connector } from "../domain/connectors/connector.js";

/** The record of a connector for itself and the operator: with its secret and private settings. */
export function fullConnectorRecord(connector: Connector): OwnConnector {
  return { ...publicConnectorRecord(connector), private_settings: connector.privateSettings, secret: connector.secret };
}

/** The record of a connector for other connectors. */
export function publicConnectorRecord(connector: Connector): ConnectorRecord {
  return {
    id: connector.id,
    name: connector.name,
    type: "ship",
    manifest: connector.manifest,
    manifest_url: connector.manifestUrl,
    source_url: connector.sourceUrl,
    settings: connector.settings,
    tags: Array.isArray(connector.manifest.tags) ? connector.manifest.tags : [],
    status: {
      status: connector.status,
      messages: connector.statusMessages,
      updated_at: connector.statusUpdatedAt?.toISOString() ?? null,
    },
    enabled: connector.enabled,
    when_disabled: connector.whenDisabled,
    notify_users_of_account: connector.notifyUsersOfAccount,
    purposes: connector.purposes,
    accept_incoming_webhooks: connector.enabled,
    created_at: connector.createdAt.toISOString(),
    updated_at: connector.updatedAt.toISOString(),
  };
}

/** The status of a connector as the API shows it. */
export function statusRecord(connector: Connector): ConnectorStatus {
  return {
    id: connector.id,
    name: connector.name,
    status: connector.status,
    messages: connector.statusMessages,
    updated_at: connector.statusUpdatedAt?.toISOString() ?? null,
  };
}
