import { isObject } from "@muster/protocol";

/** The connector as Muster stores it, with its settings. */
export interface ConnectorRecord extends Record<string, unknown> {
  id: string;
  name: string;
  settings: Record<string, unknown>;
  private_settings: Record<string, unknown>;
  /** False while the connector is switched off. */
  enabled: boolean;
  /** The address at which Muster calls the connector. */
  source_url: string | null;
}

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
