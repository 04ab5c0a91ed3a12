import {
  type AttributeTypes,
  parse,
  type Query,
  QueryError,
  queryDependencies,
  type SegmentQuery,
} from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { type KnownSegment, loadSegments } from "../../audience/segments/known-segments.js";
import type { Database } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { type BrokenSegment, refusalOf } from "./broken-segments.js";

export interface ParsedSegment {
  segment: KnownSegment;
  query: Query;
  /** Whether a segment of users asks about their accounts. */
  readsAccounts: boolean;
  /** Whether the query asks about memberships in segments. */
  readsSegments: boolean;
}

export interface LoadedSegments {
  parsed: ParsedSegment[];
  broken: BrokenSegment[];
  /** The types of the attributes that the queries ask about. */
  attributeTypes: AttributeTypes;
}

/** The segments of an organization that can be evaluated, as far as that is known. */
export async function loadParsedSegments(
  database: Database,
  organizationId: string,
  known?: Revisions,
): Promise<LoadedSegments> {
  const parsed: ParsedSegment[] = [];
  const broken: BrokenSegment[] = [];
  const revisions = known ?? (await readRevisions(database, organizationId));
  const [segments, attributeTypes] = await Promise.all([
    loadSegments(database, organizationId, revisions),
    loadAttributeTypes(database, organizationId, revisions),
  ]);
  for (const segment of segments) {
    // A sweep tries it again after a while.
    if (segment.problem !== null) continue;
    try {
      parsed.push(parseSegment(segment));
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      broken.push({ segment, problem: refusalOf(error) });
    }
  }
  return { parsed, broken, attributeTypes };
}

const MAX_REMEMBERED = 10_000;
/** Parsed queries. Every edit of a segment gives it another key. */
const remembered = new Map<string, Omit<ParsedSegment, "segment">>();

/** Parses the query of a segment, or takes it from an earlier time: segments are evaluated often and edited rarely. */
export function parseSegment(segment: KnownSegment): ParsedSegment {
  const key = `${segment.id} ${segment.revision} ${segment.updatedAt.getTime()}`;
  let parsed = remembered.get(key);
  if (!parsed) {
    parsed = parseQuery(segment);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, parsed);
  }
  return { segment, ...parsed };
}

function parseQuery({ query: written, subjectType }: KnownSegment): Omit<ParsedSegment, "segment"> {
  const query = parse(written, { target: subjectType });
  const reads = queryDependencies(query, subjectType);
  return {
    query,
    readsAccounts: subjectType === "user" && reads.account.length > 0,
    readsSegments: reads.anySegment || reads.segments.length > 0,
  };
}

export function toSegmentQuery({ segment, query }: ParsedSegment): SegmentQuery {
  return { id: segment.id, query };
}
