import type { AttributeTypes } from "@muster/query";
import { LRUCache } from "lru-cache";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { loadEventPlans } from "../../audience/events/known-event-plans.js";
import { loadSegments } from "../../audience/segments/known-segments.js";
import type { EventPlans } from "../../domain/events/event-plan.js";
import type { Database } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import type { BrokenSegment } from "./broken-segments.js";
import { type ParsedSegment, parseUsable } from "./parsed-segment.js";
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
/** The segments of organizations, by the revisions of the segments, the attributes and the names of events. */
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
  const key = revisions && `${revisions.segments} ${revisions.attributes} ${revisions.eventPlans}`;
  const kept = key && loaded.get(key);
  if (kept) return kept;
  const [segments, attributeTypes, plans] = await Promise.all([
    loadSegments(database, organizationId, revisions),
    loadAttributeTypes(database, organizationId, revisions),
    revisions && loadEventPlans(database, organizationId, revisions.eventPlans),
  ]);
  // A sweep tries broken ones again after a while.
  const whole = segments.filter(({ problem }) => problem === null);
  const { parsed: written, broken } = parseUsable(whole, { attributeTypes, now: new Date() });
  const parsed = plans?.hasMerges ? written.map((segment) => underCurrentNames(segment, plans)) : written;
  const user = new SegmentIndex(parsed, "user");
  const account = new SegmentIndex(parsed, "account");
  const result = { user, account, broken, attributeTypes };
  if (key && broken.length === 0) loaded.set(key, result);
  return result;
}

/** Events come with their current names, so the index must have these. */
function underCurrentNames(segment: ParsedSegment, plans: EventPlans): ParsedSegment {
  const events = [...new Set(segment.reads.events.map((name) => plans.currentName(name)))];
  return { ...segment, reads: { ...segment.reads, events } };
}
