import { Refusal, type SubjectType } from "@muster/protocol";
import { MAX_COUNTED_CLAUSES } from "@muster/protocol/api/segments";
import { type Predicate, parse, predicateToQuery, queryToPredicate } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import { listSegments, type Segment } from "../../storage/postgres/segments/segments.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import type { Search } from "./search.js";
import type { SegmentDraft, SegmentDrafts } from "./segment-drafts.js";

type Json = Record<string, unknown>;

export interface SegmentCountsOptions {
  database: Database;
  search: Search;
  drafts: SegmentDrafts;
}

/** Several counts in one question: after each condition of a draft, and in each region where segments overlap. */
export class SegmentCounts {
  readonly #options: SegmentCountsOptions;

  constructor(options: SegmentCountsOptions) {
    this.#options = options;
  }

  /**
   * How many are left after each condition of a draft, together with the conditions before it. Undefined when there is no
   * such saved segment.
   */
  async clauses(
    organizationId: string,
    draft: SegmentDraft,
  ): Promise<{ total: number; clauses: { path: string; count: number }[] } | undefined> {
    const { database, drafts, search } = this.#options;
    const checked = await drafts.check(organizationId, draft);
    if (!checked) return undefined;
    const target = checked.subjectType;
    const given = draft.predicate && Object.keys(draft.predicate).length > 0 ? draft.predicate : undefined;
    const attributeTypes = await loadAttributeTypes(database, organizationId);
    // A draft was checked just now, so its predicate is one.
    const predicate = (given ?? queryToPredicate(parse(checked.query, { target }), { target, attributeTypes })) as
      | Predicate
      | undefined;
    const group = !predicate || "predicates" in predicate ? predicate : { type: "all", predicates: [predicate] };
    const conditions = group?.predicates.slice(0, MAX_COUNTED_CLAUSES) ?? [];
    const queries = conditions.map((_condition, last) =>
      predicateToQuery({ type: group?.type, predicates: conditions.slice(0, last + 1) }, { target }),
    );
    const [total = 0, ...counts] = await search.countEach(organizationId, target, [{}, ...queries], draft);
    return { total, clauses: counts.map((count, index) => ({ path: `predicate.predicates.${index}`, count })) };
  }

  /** How many are in each region of the overlap of two or three segments. */
  async overlap(organizationId: string, segmentIds: readonly string[], signal: AbortSignal) {
    const { database, search } = this.#options;
    const all = new Map((await listSegments(database, organizationId)).map((segment) => [segment.id, segment]));
    const segments = segmentIds.map((id) => all.get(id) ?? unknownSegment(id));
    const target = oneTypeOf(segments);
    const regions = regionsOf(segmentIds);
    const isIn = (id: string) => ({ term: { segment_ids: id } });
    const queries = regions.map(
      (inside): Json => ({
        bool: {
          must: inside.map(isIn),
          must_not: segmentIds.filter((id) => !inside.includes(id)).map(isIn),
        },
      }),
    );
    const [total = 0, ...counts] = await search.countEach(organizationId, target, [{}, ...queries], { signal });
    const found = regions.map((inside, index) => ({ segment_ids: inside, count: counts[index] ?? 0 }));
    return {
      total,
      segments: segments.map(({ id, name }) => ({
        id,
        name,
        type: `${target}s_segment`,
        count: found
          .filter(({ segment_ids }) => segment_ids.includes(id))
          .reduce((sum, region) => sum + region.count, 0),
      })),
      regions: found,
    };
  }
}

/** Every combination of the ids but the empty one, the small ones first. */
function regionsOf(ids: readonly string[]): string[][] {
  // Each number from 1 has another combination of bits, and each bit stands for an id.
  return Array.from({ length: 2 ** ids.length - 1 }, (_, index) =>
    ids.filter((_id, bit) => ((index + 1) >> bit) & 1),
  ).sort((one, other) => one.length - other.length);
}

function oneTypeOf(segments: readonly Segment[]): SubjectType {
  const types = new Set(segments.map(({ subjectType }) => subjectType));
  const [first = "user"] = types;
  if (types.size === 1) return first;
  throw new Refusal("invalid_parameter", "Segments of users and segments of accounts have no members in common.", {
    details: [{ path: "body.segment_ids", message: "must be segments of users, or segments of accounts" }],
  });
}

function unknownSegment(id: string): never {
  throw new Refusal("not_found", `There is no segment "${id.slice(0, 100)}".`);
}
