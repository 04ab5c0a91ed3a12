import type { ConnectorStatus } from "@muster/protocol/manifest";
import type { Connector, WhenDisabled } from "../../../domain/connectors/connector.js";
import type { Vault } from "../../../runtime/secrets/vault.js";

/** A row of the table `connectors`. The secret and the private settings are encrypted. */
export interface ConnectorRow {
  organization_id: string;
  id: string;
  name: string;
  sealed_secret: Buffer;
  manifest: Record<string, unknown>;
  manifest_url: string | null;
  source_url: string | null;
  settings: Record<string, unknown>;
  sealed_private_settings: Buffer | null;
  status: ConnectorStatus;
  status_messages: string[];
  status_updated_at: Date | null;
  enabled: boolean;
  when_disabled: WhenDisabled;
  notify_users_of_account: boolean;
  purposes: string[];
  created_at: Date;
  updated_at: Date;
}

/**
 * The columns by name, for statements that are prepared: one with `*` fails on its connection after a migration of a newer
 * version has added a column.
 */
export const CONNECTOR_COLUMNS = `organization_id, id, name, sealed_secret, manifest, manifest_url, source_url, settings,
  sealed_private_settings, status, status_messages, status_updated_at, enabled, when_disabled, notify_users_of_account, purposes,
  created_at, updated_at`;

export function fromRow(row: ConnectorRow, vault: Vault): Connector {
  const sealedSettings = row.sealed_private_settings;
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    secret: vault.open(row.sealed_secret, secretContext(row.id)),
    manifest: row.manifest,
    manifestUrl: row.manifest_url,
    sourceUrl: row.source_url,
    settings: row.settings,
    privateSettings: sealedSettings
      ? (JSON.parse(vault.open(sealedSettings, settingsContext(row.id))) as Record<string, unknown>)
      : {},
    status: row.status,
    statusMessages: row.status_messages,
    statusUpdatedAt: row.status_updated_at,
    enabled: row.enabled,
    whenDisabled: row.when_disabled,
    notifyUsersOfAccount: row.notify_users_of_account,
    purposes: row.purposes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function sealSecret(id: string, secret: string, vault: Vault): Buffer {
  return vault.seal(secret, secretContext(id));
}

export function sealPrivateSettings(id: string, privateSettings: Record<string, unknown>, vault: Vault): Buffer {
  return vault.seal(JSON.stringify(privateSettings), settingsContext(id));
}

function secretContext(id: string): string {
  return `connector ${id} secret`;
}

function settingsContext(id: string): string {
  return `connector ${id} private settings`;
}
