import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../api/client.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { useTyped } from "../../ui/state/use-typed.js";

/** Where values are: an attribute of users or accounts, or a property of an event. */
export type ValueSource = { of: "user" | "account"; key: string } | { of: "event"; key: string; eventName: string };

export interface FoundValue {
  value: string;
  count: number;
  /** Compared with the most frequent value, from 0 to 1. */
  share: number;
}

interface Bucket {
  key: string | number | boolean;
  key_as_string?: string;
  doc_count: number;
}

const MOST_SHOWN = 12;

/** The most frequent values that contain a text. They are asked for when the input has the focus. */
export function useFrequentValues(source: ValueSource, typed: string) {
  const { id: org } = useOrganization();
  const [isWanted, setWanted] = useState(false);
  const text = useTyped(typed.trim());
  const { data = [] } = useQuery({
    queryKey: [org, "frequent-values", source, text],
    queryFn: ({ signal }) => findValues(source, text, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // Suggestions help, but people can do without them: an attribute that cannot be grouped has none.
    retry: false,
  });
  return { values: data, onFocus: () => setWanted(true) };
}

async function findValues(source: ValueSource, text: string, signal: AbortSignal): Promise<FoundValue[]> {
  const field = source.of === "event" ? `properties.${source.key}` : source.key;
  const contains = text === "" ? [] : [{ wildcard: { [field]: `*${text.replace(/[*?\\]/g, "\\$&")}*` } }];
  const named = source.of === "event" ? [{ term: { event: source.eventName } }] : [];
  const body = {
    query: { bool: { must: [...named, ...contains] } },
    per_page: 0,
    aggs: { values: { terms: { field, size: MOST_SHOWN } } },
  };
  const found = await answer(
    source.of === "event"
      ? api.POST("/api/v1/search/events", { body, signal })
      : source.of === "account"
        ? api.POST("/api/v1/search/account_reports", { body, signal })
        : api.POST("/api/v1/search/user_reports", { body, signal }),
  );
  // The answer has the one aggregation of the request, which is of buckets.
  const { buckets = [] } = (found.aggregations as { values?: { buckets?: Bucket[] } }).values ?? {};
  const highest = Math.max(1, ...buckets.map(({ doc_count }) => doc_count));
  return buckets.map(({ key, key_as_string, doc_count }) => ({
    value: key_as_string ?? String(key),
    count: doc_count,
    share: doc_count / highest,
  }));
}
