import type { SearchTarget } from "./search-pages.js";

const FIELDS = {
  users: ["email", "name", "first_name", "last_name", "username", "external_id", "domain", "phone"],
  accounts: ["domain", "name", "external_id", "description"],
} as const;

/** A query for words as people type them: every word must be in a field with names or identifiers. */
export function wordsQuery(what: SearchTarget, words: readonly string[]): Record<string, unknown> {
  const text = words.join(" ").trim();
  if (text === "") return {};
  if (what === "events") return { match: { event: { query: text, operator: "and" } } };
  return { multi_match: { query: text, type: "cross_fields", operator: "and", fields: FIELDS[what] } };
}
