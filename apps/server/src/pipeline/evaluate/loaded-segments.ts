import type { AttributeTypes } from "@muster/query";
import { LRUCache } from "lru-cache";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { loadSegments } from "../../audience/segments/known-segments.js";
import type { Database } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import type { BrokenSegment } from "./broken-segments.js";
import { parseUsable } from "./parsed-segment.js";
import { SegmentIndex } from "./segment-index.js";

export interface LoadedSegments {
  /** The segments that can be evaluated, by what they ask about. */
  user: SegmentIndex;
  account: SegmentIndex;
  broken: BrokenSegment[];
  /** The types of the attributes that the queries ask about. */
  attributeTypes: AttributeTypes;
}

// A segment takes a few kilobytes.
const MAX_LOADED = 20_000;
/** The segments of organizations, by the revisions of the segments and of the attributes. */
const loaded = new LRUCache<string, LoadedSegments>({
  maxSize: MAX_LOADED,
  sizeCalculation: ({ user, account }) => 1 + user.size + account.size,
});

/** The segments of an organization that can be evaluated, as far as that is known. */
export async function loadParsedSegments(
  database: Database,
  organizationId: string,
  known?: Revisions,
): Promise<LoadedSegments> {
  const revisions = known ?? (await readRevisions(database, organizationId));
  const key = revisions && `${revisions.segments} ${revisions.attributes}`;
  const kept = key && loaded.get(key);
  if (kept) return kept;
  const [segments, attributeTypes] = await Promise.all([
    loadSegments(database, organizationId, revisions),
    loadAttributeTypes(database, organizationId, revisions),
  ]);
  // A sweep tries broken ones again after a while.
  const whole = segments.filter(({ problem }) => problem === null);
  const { parsed, broken } = parseUsable(whole, { attributeTypes, now: new Date() });
  const user = new SegmentIndex(parsed, "user");
  const account = new SegmentIndex(parsed, "account");
  const result = { user, account, broken, attributeTypes };
  if (key && broken.length === 0) loaded.set(key, result);
  return result;
}
