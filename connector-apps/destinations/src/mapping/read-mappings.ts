import { isObject } from "@muster/protocol";
import type { Mapping } from "./mapping.js";

/** The mappings that are stored. Entries that are none are left out: people can write the setting by hand. */
export function readMappings(stored: unknown): Mapping[] {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry: unknown, index) => {
    if (!isObject(entry) || typeof entry.action !== "string") return [];
    const { id, name, action, enabled, trigger, fields } = entry;
    return [
      {
        id: typeof id === "string" && id !== "" ? id : `mapping-${index + 1}`,
        name: typeof name === "string" && name !== "" ? name : action,
        action,
        enabled: enabled === true,
        trigger: typeof trigger === "string" ? trigger : "",
        fields: isObject(fields) ? fields : {},
      },
    ];
  });
}
