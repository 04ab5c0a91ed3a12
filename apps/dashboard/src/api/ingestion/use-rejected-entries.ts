import type { RejectedFilter, RejectedSelection } from "@muster/protocol/api/ingestion";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, answerWithHeaders, api } from "../client.js";
import { totalOf } from "../deliveries/use-deliveries.js";
import { useOrganization } from "../session/use-organization.js";

const PER_PAGE = 200;
const REFRESH_MS = 3_000;

/** Why entries were rejected, with the number of entries for each reason, and how many reasons there are. */
export function useRejectedReasons(filter: RejectedFilter) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "rejected", "reasons", filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, per_page: PER_PAGE };
      const { data, headers } = await answerWithHeaders(
        api.GET("/api/v1/ingestion/rejected/reasons", { params: { query }, signal }),
      );
      return { reasons: data, total: totalOf(headers) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** The latest rejected entries that match, and how many there are. */
export function useRejectedEntries(filter: RejectedFilter, { isEnabled = true } = {}) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "rejected", "entries", filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, per_page: PER_PAGE };
      const { data, headers } = await answerWithHeaders(
        api.GET("/api/v1/ingestion/rejected", { params: { query }, signal }),
      );
      return { entries: data, total: totalOf(headers) };
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** Retries, edits and discards rejected entries. */
export function useRejectedActions() {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: [org, "rejected"] });
  const retry = useMutation({
    /** `expected` is how many there are: those that are rejected again meanwhile must not be retried for ever. */
    mutationFn: async ({ selection, expected }: { selection: RejectedSelection; expected: number }) => {
      // One call takes the oldest 5,000.
      for (let retried = 0; ; ) {
        const { retried: taken } = await answer(api.POST("/api/v1/ingestion/rejected/retry", { body: selection }));
        retried += taken;
        if (taken === 0 || retried >= expected) return retried;
      }
    },
    onSettled,
  });
  const retryWith = useMutation({
    mutationFn: ({ id, body }: { id: number; body: Record<string, unknown> }) =>
      answer(api.POST("/api/v1/ingestion/rejected/{id}/retry", { params: { path: { id } }, body: { body } })),
    onSettled,
  });
  const discard = useMutation({
    mutationFn: async (selection: RejectedSelection) =>
      (await answer(api.POST("/api/v1/ingestion/rejected/discard", { body: selection }))).discarded,
    onSettled,
  });
  return { retry, retryWith, discard };
}
