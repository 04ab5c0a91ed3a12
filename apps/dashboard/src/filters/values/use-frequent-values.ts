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
  const {
    data = [],
    isSuccess,
    isPlaceholderData,
  } = useQuery({
    queryKey: [org, "frequent-values", source, text],
    queryFn: ({ signal }) => findValues(source, text, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    // Suggestions help, but people can do without them: an attribute that cannot be grouped has none.
    retry: false,
  });
  return {
    values: data,
    /** The values are those of the text as it is now. */
    isCurrent: isSuccess && !isPlaceholderData && text === typed.trim(),
    /** All values that contain the text are among them. */
    isComplete: data.length < MOST_SHOWN,
    onFocus: () => setWanted(true),
  };
}

/** Values that are checked in one question. */
const MOST_CHECKED = 50;

/** Which of the chosen values nobody has. */
export function useUnusedValues(source: ValueSource, values: readonly unknown[]): readonly string[] {
  const { id: org } = useOrganization();
  const asked = useTyped(JSON.stringify(values.slice(0, MOST_CHECKED)));
  const { data } = useQuery({
    queryKey: [org, "unused-values", source, asked],
    queryFn: ({ signal }) => findUnused(source, JSON.parse(asked) as unknown[], signal),
    enabled: asked !== "[]",
    staleTime: 30_000,
    // A value of another type cannot be asked for. The count says what is wrong then.
    retry: false,
  });
  const chosen = values.map(String);
  return (data ?? []).filter((value) => chosen.includes(value));
}

async function findUnused(source: ValueSource, values: readonly unknown[], signal: AbortSignal): Promise<string[]> {
  const filters = values.map((value) => ({ term: { [fieldOf(source)]: value } }));
  const found = await search(source, { per_page: 0, aggs: { each: { filters: { filters } } } }, [], signal);
  const { buckets = [] } = (found as { each?: { buckets?: { doc_count: number }[] } }).each ?? {};
  return values.filter((_value, index) => buckets[index]?.doc_count === 0).map(String);
}

async function findValues(source: ValueSource, text: string, signal: AbortSignal): Promise<FoundValue[]> {
  const field = fieldOf(source);
  const contains = text === "" ? [] : [{ wildcard: { [field]: `*${text.replace(/[*?\\]/g, "\\$&")}*` } }];
  const asked = { per_page: 0, aggs: { values: { terms: { field, size: MOST_SHOWN } } } };
  const found = await search(source, asked, contains, signal);
  const { buckets = [] } = (found as { values?: { buckets?: Bucket[] } }).values ?? {};
  const highest = Math.max(1, ...buckets.map(({ doc_count }) => doc_count));
  return buckets.map(({ key, key_as_string, doc_count }) => ({
    value: key_as_string ?? String(key),
    count: doc_count,
    share: doc_count / highest,
  }));
}

function fieldOf(source: ValueSource): string {
  return source.of === "event" ? `properties.${source.key}` : source.key;
}

/** Asks for aggregations over all who match, or over all events of a name. The answer has those of the request. */
async function search(
  source: ValueSource,
  asked: { per_page: number; aggs: Record<string, unknown> },
  must: readonly object[],
  signal: AbortSignal,
): Promise<object> {
  const named = source.of === "event" ? [{ term: { event: source.eventName } }] : [];
  const body = { query: { bool: { must: [...named, ...must] } }, ...asked };
  const found = await answer(
    source.of === "event"
      ? api.POST("/api/v1/search/events", { body, signal })
      : source.of === "account"
        ? api.POST("/api/v1/search/account_reports", { body, signal })
        : api.POST("/api/v1/search/user_reports", { body, signal }),
  );
  return found.aggregations;
}
