import { isObject } from "@muster/protocol";
import type { ConnectorRecord } from "./connector-record.js";

/**
 * The value of a setting, by its path, such as `settings.color`, or by its name for a private setting.
 *
 * @example
 * readSetting(ctx.connector, "private_settings.synchronized_segments");
 */
export function readSetting(connector: ConnectorRecord, path: string): unknown {
  const parts = path.split(".");
  const isPath = parts[0] === "settings" || parts[0] === "private_settings";
  let value: unknown = isPath ? connector : connector.private_settings;
  for (const part of parts) {
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
