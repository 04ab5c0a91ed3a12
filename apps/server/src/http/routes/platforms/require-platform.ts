import type { Platform } from "../../../domain/platforms/platform.js";
import type { Platforms } from "../../../platforms/platforms.js";
import type { Caller } from "../../auth/caller.js";
import { notFound } from "../not-found.js";

/** A platform of the caller's organization. Refuses with 404 when there is none with this id. */
export async function requirePlatform(platforms: Platforms, id: string, { organization }: Caller): Promise<Platform> {
  const platform = await platforms.find(organization.id, id);
  if (!platform) throw notFound("platform", id);
  return platform;
}
