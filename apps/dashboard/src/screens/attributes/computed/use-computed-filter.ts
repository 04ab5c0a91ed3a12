import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import type { Predicate } from "@muster/query";
import { useQuery } from "@tanstack/react-query";
import { convertDraft } from "../../../api/audience/use-segments.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { type ComputedDraft, draftOf, eventQueryOf, filterOf, queryWithEvent, withFilter } from "./computed-draft.js";

type Json = Record<string, unknown>;

const USERS = { type: "users_segment" } as const;

/** The filter of a draft as a query. Predicates become queries on the server, as those of segments do. */
export async function whereOf(draft: ComputedDraft, signal?: AbortSignal): Promise<Json | undefined> {
  const predicate = filterOf(draft);
  if (predicate === undefined) return draft.source === "formula" ? undefined : draft.otherWhere;
  const { query } = await convertDraft({ ...USERS, predicate, query: {} }, signal);
  return draft.source === "events" ? eventQueryOf(query) : (query as Json);
}

/** A saved definition as a draft that the form can show. */
export function useSavedDraft(saved: ComputedAttribute) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "computed-draft", saved.id, saved.updated_at],
    queryFn: async ({ signal }): Promise<ComputedDraft> => {
      const { draft, where } = draftOf(saved);
      if (where === undefined) return draft;
      const query = draft.source === "events" ? queryWithEvent(draft.event, where) : where;
      const { predicate } = await convertDraft({ ...USERS, query, predicate: {} }, signal);
      // The API answers with a predicate, or null where the builder cannot show the query.
      return withFilter(draft, where, predicate as Predicate | null);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}
