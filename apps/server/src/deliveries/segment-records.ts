import type { SegmentRecord } from "@muster/protocol";
import type { Queryable } from "../storage/postgres/database.js";
import { listSegments, type Segment } from "../storage/postgres/segments/segments.js";

export interface SegmentLists {
  segments: SegmentRecord[];
  accounts_segments: SegmentRecord[];
}

/** The segments of an organization as connectors get them. */
export async function loadSegmentRecords(database: Queryable, organizationId: string): Promise<SegmentLists> {
  const all = (await listSegments(database, organizationId)).map(segmentRecord);
  return {
    segments: all.filter(({ type }) => type === "users_segment"),
    accounts_segments: all.filter(({ type }) => type === "accounts_segment"),
  };
}

export function segmentRecord({ id, name, subjectType, query, createdAt, updatedAt }: Segment): SegmentRecord {
  return {
    id,
    name,
    type: `${subjectType}s_segment`,
    query,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
