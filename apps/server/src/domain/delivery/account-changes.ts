import { isEmptyValue, sameValue } from "../attributes/attribute-values.js";
import type { AttributeChanges } from "../changes/change-set.js";
import type { News, SubjectNews } from "../changes/news.js";
import type { Report } from "../profiles/report.js";

// These fields differ between any two accounts, so their changes carry no information.
const NOT_COMPARED = new Set(["updated_at", "indexed_at"]);

/**
 * The changes of the account of a user. They are those made to the account, or the difference between two accounts when
 * the user was linked to another one. `reports` has the present reports of both.
 */
export function accountChanges(
  { changes }: SubjectNews,
  news: News,
  accountId: string | undefined,
  reports: (id: string) => Report | undefined,
): AttributeChanges {
  const made = accountId === undefined ? {} : allChanges(news.account.get(accountId));
  if (!changes.account_id) return made;
  const [from, to] = changes.account_id.map((id) => (typeof id === "string" ? id : undefined));
  const ids: AttributeChanges = { id: [from ?? null, to ?? null] };
  const after = to === undefined ? {} : reports(to);
  const present = from === undefined ? {} : reports(from);
  // Messages do not contain the values of an erased account.
  if (!present && news.deleted.some(({ id }) => id === from)) return { ...ids, ...differences({}, after ?? {}) };
  // The account was merged into the present one, whose changes are known.
  if (!present || !after) return { ...ids, ...made };
  return { ...ids, ...differences(asBefore(present, news.account.get(from ?? "")), after) };
}

/** The changes of attributes and of identifiers. The identifiers of a new subject come from nothing. */
export function allChanges(news: SubjectNews | undefined): AttributeChanges {
  if (!news) return {};
  const identifiers = Object.entries(news.identifiers).map(([key, [from, to]]): [string, AttributeChanges[string]] => [
    key,
    [news.isNew ? null : from, to],
  ]);
  return { ...news.changes, ...Object.fromEntries(identifiers) };
}

/** A report as it was before the changes in the news. */
function asBefore(report: Report, news: SubjectNews | undefined): Report {
  const before = { ...report };
  for (const [key, [from]] of Object.entries(allChanges(news))) before[key] = from;
  return before;
}

function differences(before: Report, after: Report): AttributeChanges {
  const changes: AttributeChanges = {};
  for (const key of new Set([...Object.keys(after), ...Object.keys(before)])) {
    const [from, to] = [before[key] ?? null, after[key] ?? null];
    const areBothEmpty = isEmptyValue(from) && isEmptyValue(to);
    if (key !== "id" && !NOT_COMPARED.has(key) && !areBothEmpty && !sameValue(from, to)) changes[key] = [from, to];
  }
  return changes;
}
