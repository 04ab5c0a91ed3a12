import type { SegmentRecord } from "@muster/protocol";
import type { Queryable } from "../../storage/postgres/database.js";
import { type KnownSegment, loadSegments } from "./known-segments.js";
import { segmentRecord } from "./segment-record.js";

/** The segments of an organization as connectors get them, in the properties that notifications and callbacks use. */
export interface SegmentLists {
  segments: readonly SegmentRecord[];
  accounts_segments: readonly SegmentRecord[];
}

/** All segments of an organization, ready to be sent. */
export interface WholeLists extends SegmentLists {
  byId: ReadonlyMap<string, SegmentRecord>;
  /** The length of both lists as JSON. */
  bytes: number;
}

/** They are made once for each revision of the segments. */
const made = new WeakMap<readonly KnownSegment[], WholeLists>();

export async function loadSegmentLists(database: Queryable, organizationId: string): Promise<WholeLists> {
  const known = await loadSegments(database, organizationId);
  const kept = made.get(known);
  if (kept) return kept;
  const records = known.map(segmentRecord);
  const byId = new Map(records.map((record) => [record.id, record]));
  const lists = { ...listsOf(records), byId, bytes: Buffer.byteLength(JSON.stringify(records)) };
  made.set(known, lists);
  return lists;
}

/** The lists with some of the segments. */
export function someSegments({ byId }: WholeLists, ids: Iterable<string>): SegmentLists {
  return listsOf([...new Set(ids)].flatMap((id) => byId.get(id) ?? []));
}

function listsOf(records: readonly SegmentRecord[]): SegmentLists {
  return {
    segments: records.filter(({ type }) => type === "users_segment"),
    accounts_segments: records.filter(({ type }) => type === "accounts_segment"),
  };
}
