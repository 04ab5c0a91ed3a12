import type { JsonObject } from "@muster/protocol/api/schema";

export const EVENTS_PER_PAGE = 100;

/** What the API is asked for the first page of stored events, the latest first. */
export function eventsBody(query: JsonObject) {
  return { query, sort: { created_at: "desc" as const }, per_page: EVENTS_PER_PAGE };
}
