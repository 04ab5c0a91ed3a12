import type { FigureRange } from "@muster/protocol/api/deliveries";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, answerWithHeaders, api } from "../client.js";
import { BRAND } from "../page-values.js";
import { useOrganization } from "../session/use-organization.js";

export const FIGURE_RANGES: readonly { value: FigureRange; label: string }[] = [
  { value: "hour", label: "Hour" },
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
];

const LIVE_MS = 2_000;

/** How many items a list has in all, as the server counts them. */
export function totalOf(headers: Headers): number {
  return Number(headers.get(`${BRAND}-Total-Count`) ?? 0);
}

/** How the delivery to a connector stands now. */
export function useDelivery(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "delivery", connectorId],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/{id}/delivery", { params: { path: { id: connectorId } }, signal })),
    refetchInterval: LIVE_MS,
  });
}

/** What became of the messages of a connector over time. */
export function useDeliveryFigures(connectorId: string, range: FigureRange) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "delivery", connectorId, "figures", range],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/delivery/figures", { params: { path: { id: connectorId }, query: { range } }, signal }),
      ),
    refetchInterval: range === "hour" ? LIVE_MS : 30_000,
    placeholderData: keepPreviousData,
  });
}

export interface TraceFilter {
  entityId?: string | undefined;
  result?: "delivered" | "failed" | "skipped" | "open" | undefined;
  page: number;
}

export const TRACES_PER_PAGE = 50;

/** The messages that a connector was sent, the latest first. */
export function useConnectorTraces(connectorId: string, { entityId, result, page }: TraceFilter) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "delivery", connectorId, "traces", entityId, result, page],
    queryFn: async ({ signal }) => {
      const query = {
        page,
        per_page: TRACES_PER_PAGE,
        ...(entityId ? { entity_id: entityId } : {}),
        ...(result ? { result } : {}),
      };
      const { data, headers } = await answerWithHeaders(
        api.GET("/api/v1/{id}/delivery/traces", { params: { path: { id: connectorId }, query }, signal }),
      );
      return { traces: data, total: totalOf(headers) };
    },
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

/** A message as it was sent. Few are kept. */
export function useKeptMessage(connectorId: string, trace: { notification_id: string; message_id: string }) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "delivery", connectorId, "message", trace.notification_id, trace.message_id],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/delivery/messages/{notification_id}/{message_id}", {
          params: { path: { id: connectorId, ...trace } },
          signal,
        }),
      ),
    staleTime: 60_000,
  });
}

/** The statuses that a connector had, the latest first. */
export function useStatusHistory(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "delivery", connectorId, "status"],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/{id}/status/history", {
          params: { path: { id: connectorId }, query: { page: 1, per_page: 10 } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });
}

/** The latest jobs that a connector started or got, and how many there are. */
export function useConnectorJobs(connectorId: string) {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "jobs", "of-connector", connectorId],
    queryFn: async ({ signal }) => {
      const query = { connector_id: connectorId, page: 1, per_page: 50 };
      const { data, headers } = await answerWithHeaders(api.GET("/api/v1/jobs", { params: { query }, signal }));
      return { jobs: data, total: totalOf(headers) };
    },
    refetchInterval: LIVE_MS,
  });
}

/** Reads everything about the deliveries of a connector again, after a change. */
export function useRefreshDeliveries() {
  const { id: org } = useOrganization();
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: [org, "dead-letters"] });
    await client.invalidateQueries({ queryKey: [org, "delivery"] });
  };
}
