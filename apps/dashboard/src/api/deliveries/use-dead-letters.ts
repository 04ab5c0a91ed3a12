import type { DeadLetterDetails, DeadLetterSelection } from "@muster/protocol/api/dead-letters";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answer, answerWithHeaders, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";
import { totalOf } from "./use-deliveries.js";

/** Which letters: those of a cause, or single ones. `up_to` leaves out letters that came after the last look. */
export type LetterSelection = DeadLetterSelection & { connector_id: string };

export const LETTERS_PER_PAGE = 25;
/** So many are sent again in one request, so that the screen can show how far it is. */
const RETRIED_AT_ONCE = 500;
/** So many are discarded in one request, so that each takes a second at most. */
const DISCARDED_AT_ONCE = 10_000;

/** The dead letters of a connector by their causes, the largest groups, and how many causes there are. */
export function useDeadLetterGroups(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "dead-letters", "groups", connectorId],
    queryFn: async ({ signal }) => {
      const query = { connector_id: connectorId, page: 1, per_page: 100 };
      const { data, headers } = await answerWithHeaders(
        api.GET("/api/v1/dead_letters/groups", { params: { query }, signal }),
      );
      return { groups: data, total: totalOf(headers) };
    },
    refetchInterval: 2_000,
  });
}

/** The dead letters of a connector with one cause, the latest first. */
export function useDeadLetters(connectorId: string, cause: string, page: number) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "dead-letters", "list", connectorId, cause, page],
    queryFn: async ({ signal }) => {
      const query = { connector_id: connectorId, cause, page, per_page: LETTERS_PER_PAGE };
      const { data, headers } = await answerWithHeaders(api.GET("/api/v1/dead_letters", { params: { query }, signal }));
      return { letters: data, total: totalOf(headers) };
    },
    refetchInterval: 2_000,
    placeholderData: keepPreviousData,
  });
}

export function useDeadLetter(id: number) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "dead-letters", "one", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/dead_letters/{id}", { params: { path: { id } }, signal })),
  });
}

export function editDeadLetter(id: number, message: Record<string, unknown>): Promise<DeadLetterDetails> {
  return answer(api.PUT("/api/v1/dead_letters/{id}", { params: { path: { id } }, body: { message } }));
}

/** Sends letters again, some at a time. `onProgress` gets how many were sent so far. Returns how many were sent in all. */
export async function retryDeadLetters(
  selection: LetterSelection,
  onProgress: (retried: number) => void = () => {},
): Promise<number> {
  let total = 0;
  for (;;) {
    const { retried, left } = await answer(
      api.POST("/api/v1/dead_letters/retry", { body: { ...selection, limit: RETRIED_AT_ONCE } }),
    );
    total += retried;
    onProgress(total);
    if (!left) return total;
  }
}

/** Discards letters, some at a time. Returns how many there were. */
export async function discardDeadLetters(selection: LetterSelection): Promise<number> {
  let total = 0;
  for (;;) {
    const { discarded, left } = await answer(
      api.POST("/api/v1/dead_letters/discard", { body: { ...selection, limit: DISCARDED_AT_ONCE } }),
    );
    total += discarded;
    if (!left) return total;
  }
}
