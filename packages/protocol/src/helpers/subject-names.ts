import { nonEmptyText } from "./non-empty-text.js";

/** The fields of a report that a user or account can be called by. */
export const NAMING_FIELDS = ["name", "first_name", "last_name", "email", "domain", "external_id"] as const;

/** What people call a user or account, the best first: its name, then its identifiers. */
export function subjectNames(report: Readonly<Record<string, unknown>>): string[] {
  const { name, first_name: first, last_name: last, email, domain, external_id: externalId } = report;
  const full = [first, last].flatMap((part) => nonEmptyText(part) ?? []).join(" ");
  const all = [nonEmptyText(name) ?? full, email, domain, externalId];
  return [...new Set(all.flatMap((text) => nonEmptyText(text) ?? []))];
}
