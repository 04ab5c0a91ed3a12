import { isObject } from "@muster/protocol";
import type { OwnConnector } from "@muster/protocol/api/connectors";

/** The connector as Muster stores it, with its settings. */
export interface ConnectorRecord
  extends Record<string, unknown>,
    Pick<OwnConnector, "id" | "name" | "settings" | "private_settings" | "enabled" | "source_url"> {}

/** Adds defaults for fields that a platform or a test left out. */
export function readConnectorRecord(given: unknown, id: string): ConnectorRecord {
  const record = isObject(given) ? given : {};
  return {
    ...record,
    id: typeof record.id === "string" ? record.id : id,
    name: typeof record.name === "string" ? record.name : "",
    settings: isObject(record.settings) ? record.settings : {},
    private_settings: isObject(record.private_settings) ? record.private_settings : {},
    enabled: record.enabled !== false,
    source_url: typeof record.source_url === "string" ? record.source_url : null,
  };
}
