import type { RecentEntry, RecentFilter, RecentPage } from "@muster/protocol/api/ingestion";

/** What was read so far, the newest first. */
export interface RecentList {
  rows: RecentEntry[];
  after: number;
  /** How many entries came and were not kept, because more came than the server keeps for one look. */
  missed: number;
  /** When the server began to keep entries; undefined for a list that was made from another one. */
  since: string | undefined;
  /** The server has begun anew since the list began: entries between were not kept. */
  hasGap: boolean;
}

const MAX_ROWS = 2_000;

export function appendRecent(before: RecentList | undefined, page: RecentPage): RecentList {
  // Rows may come from the list of another filter, in which entries have other numbers.
  const known = new Set(before?.rows.map(({ id }) => id));
  const added = page.entries.filter(({ id }) => !known.has(id)).reverse();
  const isNewWatch = before?.since !== undefined && before.since !== page.since;
  return {
    rows: [...added, ...(before?.rows ?? [])].slice(0, MAX_ROWS),
    after: page.after,
    missed: (before?.missed ?? 0) + page.missed,
    since: page.since,
    hasGap: (before?.hasGap ?? false) || (isNewWatch && before.rows.length > 0),
  };
}

/** A list with the entries of other lists too, each once. */
export function withAllSeen(list: RecentList, others: readonly RecentList[]): RecentList {
  const rows = new Map([...others, list].flatMap((one) => one.rows).map((row) => [row.id, row]));
  return { ...list, rows: [...rows.values()].sort((one, other) => other.id - one.id).slice(0, MAX_ROWS) };
}

/** Whether an entry is wanted, as the server decides it. */
export function matchesFilter(entry: RecentEntry, filter: RecentFilter): boolean {
  const { outcome, type, event, connector_id, user } = filter;
  if (outcome !== undefined && entry.outcome !== outcome) return false;
  if (type !== undefined && entry.type !== type) return false;
  if (event !== undefined && entry.event !== event) return false;
  if (connector_id !== undefined && entry.connector_id !== connector_id) return false;
  if (user === undefined) return true;
  const wanted = user.toLowerCase();
  return Object.values(entry.user ?? {}).some((value) => String(value).toLowerCase() === wanted);
}
