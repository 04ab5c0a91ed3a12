import { Refusal } from "@muster/protocol";

/** Every process has the settings of all connectors in memory, those of other organizations beside them. */
const MAX_SETTINGS_BYTES = 512 * 1024;

/**
 * The stored settings with the given ones in their place. What would be too large is refused, unless it is smaller than
 * what is stored already.
 */
export function mergeSettings(
  group: "settings" | "private_settings",
  stored: Record<string, unknown>,
  given: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (given === undefined) return stored;
  const merged = { ...stored, ...given };
  const json = JSON.stringify(merged);
  if (Buffer.byteLength(json) > MAX_SETTINGS_BYTES && json.length > JSON.stringify(stored).length) {
    const path = `body.${group}`;
    const message = `must have at most ${MAX_SETTINGS_BYTES} bytes as JSON, together with the stored settings`;
    throw new Refusal("invalid_parameter", `The connector cannot be changed: ${path} ${message}.`, {
      details: [{ path, message }],
    });
  }
  return merged;
}
