import type { SubjectType } from "@muster/protocol";
import type { Segment } from "@muster/protocol/api/segments";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  convertDraft,
  type EditedSegment,
  segmentCountQuery,
  segmentPreviewQuery,
} from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { EVERYTHING } from "../../filters/clauses.js";
import { type DraftFilter, filterBody, isSameJson, predicateFilter } from "../../filters/draft-filter.js";
import { type StoredDraft, storeDraft, useStoredDraft } from "../../filters/draft-store.js";
import { useTyped } from "../../ui/state/use-typed.js";

const filterKey = (org: string, segment: Pick<Segment, "id" | "updated_at"> | undefined) => [
  org,
  "stored-filter",
  segment?.id,
  segment?.updated_at,
];

/** The filter that a saved segment has. Its predicate counts only if it means what the query says. */
export function useStoredFilter(segment: Segment | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: filterKey(org, segment),
    queryFn: ({ signal }) => (segment ? readFilter(segment, signal) : predicateFilter(EVERYTHING)),
    staleTime: Number.POSITIVE_INFINITY,
    // While the filter of a segment that was saved elsewhere is read, the one before is shown.
    placeholderData: (before, query) => (query?.queryKey[2] === segment?.id ? before : undefined),
  });
}

/** Shows a segment as the server has answered after a change, with the filter that was sent, and forgets the draft. */
export function showSaved(client: QueryClient, org: string, segment: Segment, filter: DraftFilter): void {
  client.setQueryData(filterKey(org, segment), filter);
  client.setQueryData([org, "segment", segment.id], segment);
  storeDraft(org, segment.id, undefined);
}

async function readFilter({ query, predicate, type }: Segment, signal: AbortSignal): Promise<DraftFilter> {
  const asQuery: DraftFilter = { kind: "query", query };
  if (Object.keys(predicate).length === 0) {
    return Object.keys(query).length === 0 ? predicateFilter(EVERYTHING) : asQuery;
  }
  const converted = await convertDraft({ query: {}, predicate, type }, signal);
  return isSameJson(converted.query, query) ? { kind: "predicate", predicate } : asQuery;
}

/** What the API is asked about a filter of a segment, which has an id once it is saved. */
function bodyOf(filter: DraftFilter, { type, id }: { type: Segment["type"]; id: string | undefined }): EditedSegment {
  return { ...filterBody(filter), type, ...(id === undefined ? {} : { segment_id: id }) };
}

/**
 * Asks whom a segment selects while its filter is still read, so that examples do not wait for that. The predicate nearly always
 * means what the query says; otherwise nobody uses the answers.
 */
export function useEarlyResult(segment: Segment | undefined, { isEnabled }: { isEnabled: boolean }): void {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const draft = useStoredDraft(org, segment?.id ?? "");
  const isWaiting = isEnabled && segment !== undefined && Object.keys(segment.predicate).length > 0;
  const filter: DraftFilter | undefined = isWaiting
    ? (draft?.filter ?? { kind: "predicate", predicate: segment.predicate })
    : undefined;
  const text = segment && filter ? JSON.stringify(bodyOf(filter, segment)) : "";
  useEffect(() => {
    if (text === "") return;
    // The text was made of a segment just now.
    const body = JSON.parse(text) as EditedSegment;
    void client.prefetchQuery(segmentCountQuery(org, body));
    void client.prefetchQuery(segmentPreviewQuery(org, body));
  }, [client, org, text]);
}

interface EditingOptions {
  /** Missing while the segment is new. */
  segment: Segment | undefined;
  saved: DraftFilter;
  draftId: string;
  subjectType: SubjectType;
}

/** The segment on the screen: what was saved, with the changes that were made since. */
export function useSegmentDraft({ segment, saved, draftId, subjectType }: EditingOptions) {
  const { id: org } = useOrganization();
  const changed = useStoredDraft(org, draftId);
  const stored: StoredDraft = { name: segment?.name ?? "", filter: saved };
  const draft = changed ?? stored;
  const type = subjectType === "account" ? "accounts_segment" : "users_segment";
  const body = bodyOf(draft.filter, { type, id: segment?.id });
  const isOtherText = !isSameJson(filterBody(draft.filter), filterBody(saved));
  // The same filter can be written in several ways, which the server knows.
  const isSaved = useIsSaved(body, segment?.updated_at, { isEnabled: segment !== undefined && isOtherText });
  const isFilterChanged = isOtherText && !isSaved;
  const change = (changes: Partial<StoredDraft>) => {
    const { unreadText: _typed, ...read } = draft;
    // A filter that can be read is newer than a text that could not.
    const next: StoredDraft = changes.filter ? { ...read, ...changes } : { ...draft, ...changes };
    const isStored =
      next.name === stored.name && isSameJson(next.filter, stored.filter) && next.unreadText === undefined;
    storeDraft(org, draftId, isStored && segment ? undefined : next);
  };
  return {
    draft,
    change,
    discard: () => storeDraft(org, draftId, undefined),
    body,
    isChanged:
      changed !== undefined &&
      (!segment || isFilterChanged || draft.name !== stored.name || draft.unreadText !== undefined),
    isFilterChanged,
  };
}

/** Whether a filter means the same as that of the segment, which was saved at this time, although it is written otherwise. */
function useIsSaved(draft: EditedSegment, savedAt: string | undefined, { isEnabled }: { isEnabled: boolean }): boolean {
  const { id: org } = useOrganization();
  const text = JSON.stringify(draft);
  const asked = useTyped(text);
  const { data } = useQuery({
    queryKey: [org, "segment-unchanged", savedAt, asked],
    // The text was made of a draft just now.
    queryFn: ({ signal }) => convertDraft(JSON.parse(asked) as EditedSegment, signal),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return isEnabled && asked === text && data?.unchanged === true;
}

export type SegmentEditing = ReturnType<typeof useSegmentDraft>;
