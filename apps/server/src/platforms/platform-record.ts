import type { Platform } from "../domain/platforms/platform.js";

/** A platform as the API shows it. */
export function platformRecord({ id, name, domains, settings, createdAt, updatedAt }: Platform) {
  return {
    id,
    type: "platform" as const,
    name,
    domains,
    settings,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
