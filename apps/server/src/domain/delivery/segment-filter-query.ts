import { IDENTIFYING_FIELDS, type SegmentFilter, STANDARD_SEGMENTS, type SubjectType } from "@muster/protocol";

type Json = Record<string, unknown>;

/**
 * The query of those who pass a filter of segments; undefined when everybody does. It must select the same subjects as
 * `passesSegmentFilter`.
 */
export function segmentFilterQuery(filter: SegmentFilter | undefined, subjectType: SubjectType): Json | undefined {
  if (!filter || filter.has(STANDARD_SEGMENTS.all)) return undefined;
  const identified = { bool: { should: IDENTIFYING_FIELDS[subjectType].map((field) => ({ exists: { field } })) } };
  return {
    bool: {
      should: [
        { terms: { segment_ids: [...filter] } },
        ...(filter.has(STANDARD_SEGMENTS.identified) ? [identified] : []),
        ...(filter.has(STANDARD_SEGMENTS.anonymous) ? [{ bool: { must_not: [identified] } }] : []),
      ],
    },
  };
}
