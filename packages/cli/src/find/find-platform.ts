import type { Platform } from "@muster/protocol/api/platforms";
import type { Api } from "../api.js";
import { readList } from "../read-list.js";
import { findById, onlyOneNamed } from "./find-connector.js";

/** The platform with this id, or the only one with this name. */
export async function findPlatform(api: Api, given: string): Promise<Platform> {
  const found = await findById<Platform>(api, given, "platform");
  if (found) return found;
  const all = await readList<Platform>(api, "/platforms");
  return onlyOneNamed(all, given, "platform", "`muster platform list` shows all.");
}
