import type { Segment } from "@muster/protocol/api/segments";
import type { Api } from "../api.js";
import { readList } from "../read-list.js";
import { findById, onlyOneNamed } from "./find-connector.js";

/** The segment with this id, or the only one with this name. */
export async function findSegment(api: Api, given: string): Promise<Segment> {
  const found = await findById<Segment>(api, given, "users_segment", "accounts_segment");
  if (found) return found;
  const all = await readList<Segment>(api, "/segments");
  return onlyOneNamed(all, given, "segment", "`muster segment list` shows all.");
}
