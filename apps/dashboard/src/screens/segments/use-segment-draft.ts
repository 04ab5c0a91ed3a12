import type { SubjectType } from "@muster/protocol";
import type { Segment } from "@muster/protocol/api/segments";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { convertDraft, type EditedSegment } from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { EVERYTHING } from "../../filters/clauses.js";
import { type DraftFilter, filterBody, isSameJson, predicateFilter } from "../../filters/draft-filter.js";
import { newDraftId, readDraft, storeDraft } from "../../filters/draft-store.js";

/** The filter that a saved segment has. Its predicate counts only if it means what the query says. */
export function useStoredFilter(segment: Segment | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "stored-filter", segment?.id, segment?.updated_at],
    queryFn: ({ signal }) => (segment ? readFilter(segment, signal) : predicateFilter(EVERYTHING)),
    staleTime: Number.POSITIVE_INFINITY,
    // While the filter of a segment that was saved just now is read, the one before is shown.
    placeholderData: (before, query) => (query?.queryKey[2] === segment?.id ? before : undefined),
  });
}

async function readFilter({ query, predicate, type }: Segment, signal: AbortSignal): Promise<DraftFilter> {
  const asQuery: DraftFilter = { kind: "query", query };
  if (Object.keys(predicate).length === 0) {
    return Object.keys(query).length === 0 ? predicateFilter(EVERYTHING) : asQuery;
  }
  const converted = await convertDraft({ query: {}, predicate, type }, signal);
  return isSameJson(converted.query, query) ? { kind: "predicate", predicate } : asQuery;
}

export interface Draft {
  name: string;
  filter: DraftFilter;
}

/** The segment on the screen: what was saved, with the changes that were made since. */
export function useSegmentDraft(segment: Segment | undefined, saved: DraftFilter, subjectType: SubjectType) {
  const { id: org } = useOrganization();
  const id = segment?.id ?? newDraftId(subjectType);
  const [changed, setChanged] = useState(() => readDraft(org, id));
  const stored: Draft = { name: segment?.name ?? "", filter: saved };
  const draft: Draft = changed ?? stored;
  const change = (changes: Partial<Draft>) => {
    const next = { ...draft, ...changes };
    const isSame = next.name === stored.name && isSameJson(next.filter, stored.filter);
    const kept = isSame && segment ? undefined : next;
    setChanged(kept);
    storeDraft(org, id, kept && { name: kept.name, filter: withoutIncomplete(kept.filter) });
  };
  const discard = () => {
    setChanged(undefined);
    storeDraft(org, id, undefined);
  };
  const body: EditedSegment = {
    ...filterBody(draft.filter),
    type: subjectType === "account" ? "accounts_segment" : "users_segment",
    ...(segment ? { segment_id: segment.id } : {}),
  };
  const isFilterChanged = !isSameJson(body, { ...body, ...filterBody(saved) });
  return { draft, change, discard, body, isChanged: changed !== undefined, isFilterChanged };
}

function withoutIncomplete(filter: DraftFilter): DraftFilter {
  return filter.kind === "query" ? filter : { kind: "predicate", predicate: filterBody(filter).predicate };
}
