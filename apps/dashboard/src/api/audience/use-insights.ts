import type {
  FunnelAnswer,
  InsightNumber,
  InsightQuestion,
  RetentionAnswer,
  SavedInsight,
  TrendAnswer,
} from "@muster/protocol/api/insights";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api, send } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

/** The answer to one of the three questions. */
export type InsightAnswer =
  | { kind: "trend"; answer: TrendAnswer }
  | { kind: "funnel"; answer: FunnelAnswer }
  | { kind: "retention"; answer: RetentionAnswer };

/** The numbers of a question; undefined while it is not complete. */
export function useInsightAnswer(question: InsightQuestion | undefined) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "insight", question],
    queryFn: ({ signal }) => ask(question ?? {}, signal),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
}

async function ask({ trend, funnel, retention }: InsightQuestion, signal: AbortSignal): Promise<InsightAnswer> {
  if (trend)
    return { kind: "trend", answer: await answer(api.POST("/api/v1/insights/trend", { body: trend, signal })) };
  if (funnel) {
    return { kind: "funnel", answer: await answer(api.POST("/api/v1/insights/funnel", { body: funnel, signal })) };
  }
  const body = retention ?? { interval: "week", from: "now-8w/w", to: "now", time_zone: "UTC" };
  return { kind: "retention", answer: await answer(api.POST("/api/v1/insights/retention", { body, signal })) };
}

const PER_PAGE = 50;

/** Who is behind a number, page by page. */
export function useInsightUsers(question: InsightQuestion, number: InsightNumber) {
  const { id: org } = useOrganization();
  return useInfiniteQuery({
    queryKey: [org, "insight-users", question, number],
    queryFn: ({ pageParam, signal }) =>
      answer(
        api.POST("/api/v1/insights/users", {
          body: { question, number, per_page: PER_PAGE, ...(pageParam === "" ? {} : { after: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

/** Makes a segment of those behind a number. */
export function useInsightSegment() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { question: InsightQuestion; number: InsightNumber; name: string }) =>
      answer(api.POST("/api/v1/insights/segment", { body })),
    onSettled: () => client.invalidateQueries({ queryKey: [org, "segments"] }),
  });
}

/** The numbers of a question as a CSV file. */
export async function readInsightCsv(question: InsightQuestion): Promise<Blob> {
  const response = await send("/api/v1/insights/csv", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
  });
  return response.blob();
}

/** The saved insights of the organization. */
export function useSavedInsights() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "saved-insights"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/insights", { params: { query: { page: 1, per_page: 1_000 } }, signal })),
    staleTime: 10_000,
  });
}

/** The insights whose cards are on the home, in their order. */
export function cardsOf(insights: readonly SavedInsight[]): SavedInsight[] {
  return insights
    .filter(({ home_place }) => home_place !== null)
    .sort((one, other) => (one.home_place ?? 0) - (other.home_place ?? 0));
}

/** Saves, changes and removes insights, and arranges the home. */
export function useInsightChanges() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const queryKey = [org, "saved-insights"];
  const onSettled = () => client.invalidateQueries({ queryKey });
  const create = useMutation({
    mutationFn: (body: { name: string; question: InsightQuestion }) => answer(api.POST("/api/v1/insights", { body })),
    onSettled,
  });
  const update = useMutation({
    mutationFn: ({ id, ...body }: { id: number; name?: string; question?: InsightQuestion }) =>
      answer(api.PUT("/api/v1/insights/{id}", { params: { path: { id } }, body })),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (id: number) => answer(api.DELETE("/api/v1/insights/{id}", { params: { path: { id } } })),
    onSettled,
  });
  const arrange = useMutation({
    mutationFn: (ids: readonly number[]) => answer(api.PUT("/api/v1/insights/home", { body: { ids: [...ids] } })),
    // A card moves at once: people press the key again before the answer is there.
    onMutate: (ids) =>
      client.setQueryData<SavedInsight[]>(queryKey, (before) =>
        before?.map((insight) => {
          const place = ids.indexOf(insight.id);
          return { ...insight, home_place: place === -1 ? null : place };
        }),
      ),
    onSettled,
  });
  return { create, update, remove, arrange };
}
