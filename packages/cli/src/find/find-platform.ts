import type { Api } from "../api.js";
import { readList } from "../read-list.js";
import { findById, onlyOneNamed } from "./find-connector.js";

export interface PlatformRecord {
  id: string;
  type: "platform";
  name: string;
  domains: string[];
  settings: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

/** The platform with this id, or the only one with this name. */
export async function findPlatform(api: Api, given: string): Promise<PlatformRecord> {
  const found = await findById<PlatformRecord>(api, given, "platform");
  if (found) return found;
  const all = await readList<PlatformRecord>(api, "/platforms");
  return onlyOneNamed(all, given, "platform", "`muster platform list` shows all.");
}
