import type { Predicate } from "@muster/query";
import { asGroup, completePart, countIncomplete } from "./clauses.js";
import { readPredicate } from "./read-predicate.js";

type Json = Record<string, unknown>;

/** The filter of a segment: a predicate, which a builder may show, or a query in the whole language. */
export type DraftFilter = { kind: "predicate"; predicate: Json } | { kind: "query"; query: Json };

/** What the API is asked about a filter. Clauses that do not say enough yet are left out. */
export function filterBody(filter: DraftFilter): { query: Json; predicate: Json } {
  if (filter.kind === "query") return { query: filter.query, predicate: {} };
  const read = readPredicate(filter.predicate);
  if (!("predicate" in read)) return { query: {}, predicate: filter.predicate };
  // A group is plain JSON.
  return { query: {}, predicate: completePart(asGroup(read.predicate)) };
}

/** How many clauses of a filter do not say enough yet. */
export function countUnfinished(filter: DraftFilter): number {
  const read = filter.kind === "predicate" ? readPredicate(filter.predicate) : undefined;
  return read && "predicate" in read ? countIncomplete(asGroup(read.predicate)) : 0;
}

export function predicateFilter(predicate: Predicate): DraftFilter {
  // A predicate is plain JSON.
  return { kind: "predicate", predicate: predicate };
}

/** Whether two values are the same JSON, whatever the order of keys is. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [first, second] = [one as Json, other as Json];
  const keys = Object.keys(first);
  return keys.length === Object.keys(second).length && keys.every((key) => isSameJson(first[key], second[key]));
}
