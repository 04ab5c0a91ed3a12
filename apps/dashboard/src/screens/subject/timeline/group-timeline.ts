import type { TimelineItem } from "@muster/protocol/api/history";

/** Items that belong together: the events of one visit with what happened meanwhile, or items without a visit. */
export interface TimelineRun {
  key: string;
  /** Undefined when the items belong to no session. */
  session: string | undefined;
  items: TimelineItem[];
}

export interface TimelineDay {
  /** The day in the viewer's time zone, such as 2026-05-01. */
  key: string;
  /** The time of its latest item. */
  at: string;
  runs: TimelineRun[];
}

/** Puts pages and live items into one list, each item once, the latest first. */
export function mergeItems(...lists: readonly (readonly TimelineItem[])[]): TimelineItem[] {
  const byId = new Map(lists.flat().map((item) => [`${item.kind} ${item.id}`, item]));
  return [...byId.values()].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

/** Groups items by day, then by session. The items must be sorted, the latest first. */
export function groupByDay(items: readonly TimelineItem[], dayOf: (at: string) => string = localDay): TimelineDay[] {
  const days: { key: string; items: TimelineItem[] }[] = [];
  for (const item of items) {
    const key = dayOf(item.at);
    const last = days.at(-1);
    if (last?.key === key) last.items.push(item);
    else days.push({ key, items: [item] });
  }
  return days.map(({ key, items: ofDay }) => ({ key, at: ofDay[0]?.at ?? "", runs: runsOf(ofDay) }));
}

function runsOf(items: readonly TimelineItem[]): TimelineRun[] {
  const runs: TimelineRun[] = [];
  let index = 0;
  while (index < items.length) {
    const session = sessionOf(items[index]);
    const end = session === undefined ? index + 1 : endOfSession(items, index, session);
    const part = items.slice(index, end);
    const last = runs.at(-1);
    if (session === undefined && last && last.session === undefined) last.items.push(...part);
    else runs.push({ key: part[0]?.id ?? "", session, items: part });
    index = end;
  }
  return runs;
}

/** Where a session ends: what happened between two of its events belongs to it, unless another session began. */
function endOfSession(items: readonly TimelineItem[], start: number, session: string): number {
  let end = start + 1;
  for (let index = start + 1; index < items.length; index++) {
    const other = sessionOf(items[index]);
    if (other === session) end = index + 1;
    else if (other !== undefined) break;
  }
  return end;
}

function sessionOf(item: TimelineItem | undefined): string | undefined {
  return item?.kind === "event" ? (item.session_id ?? undefined) : undefined;
}

function localDay(at: string): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
