import { isObject } from "@muster/protocol";

/** The connector as the platform keeps it, with its settings. */
export interface ConnectorRecord extends Record<string, unknown> {
  id: string;
  name: string;
  settings: Record<string, unknown>;
  private_settings: Record<string, unknown>;
  /** False: somebody has switched it off. */
  enabled: boolean;
  /** Where the platform reaches it. */
  source_url: string | null;
}

/** Fills in what a platform, or a test, may have left out. */
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
