import type { Api } from "../api.js";
import { readList } from "../read-list.js";
import { findById, onlyOneNamed } from "./find-connector.js";

export interface SegmentRecord {
  id: string;
  name: string;
  type: "users_segment" | "accounts_segment";
  query: Record<string, unknown>;
  predicate: Record<string, unknown>;
  stats: { users?: number; accounts?: number };
  /** False until its members are found, after it was created or its query changed. */
  evaluated: boolean;
  status: "ok" | "broken";
  error: string | null;
  created_at: string;
  updated_at: string;
}

/** The segment with this id, or the only one with this name. */
export async function findSegment(api: Api, given: string): Promise<SegmentRecord> {
  const found = await findById<SegmentRecord>(api, given, "users_segment", "accounts_segment");
  if (found) return found;
  const all = await readList<SegmentRecord>(api, "/segments");
  return onlyOneNamed(all, given, "segment", "`muster segment list` shows all.");
}
