import type { Platform as PlatformRecord } from "@muster/protocol/api/platforms";
import type { Platform } from "../domain/platforms/platform.js";

/** A platform as the API shows it. */
export function platformRecord({ id, name, domains, settings, createdAt, updatedAt }: Platform): PlatformRecord {
  return {
    id,
    type: "platform",
    name,
    domains,
    settings,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
