import type { TimelineItem } from "@muster/protocol/api/history";
import { formatCount } from "../../../ui/text/format.js";

type EventItem = Extract<TimelineItem, { kind: "event" }>;

/** What a visit was, in words: "12 events in 8 minutes on /pricing and 2 other pages". */
export function sessionHead(items: readonly TimelineItem[]): string {
  const events = items.filter((item): item is EventItem => item.kind === "event");
  const times = events.map(({ at }) => Date.parse(at));
  const minutes = Math.round((Math.max(...times) - Math.min(...times)) / 60_000);
  const lasted = events.length < 2 ? "" : minutes < 1 ? " within a minute" : ` in ${formatCount(minutes, "minute")}`;
  const pages = pagesOf(events);
  const [first] = pages;
  const others = pages.length - 1;
  const where =
    first === undefined ? "" : others === 0 ? ` on ${first}` : ` on ${first} and ${formatCount(others, "other page")}`;
  return `${formatCount(events.length, "event")}${lasted}${where}`;
}

/** The pages of a visit, the one with most events first. Of two with as many, the later one. */
function pagesOf(events: readonly EventItem[]): string[] {
  const counts = new Map<string, number>();
  for (const { context } of events) {
    const path = pathOf(context);
    if (path !== undefined) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([path]) => path);
}

function pathOf(context: Readonly<Record<string, unknown>>): string | undefined {
  const page = context.page as { url?: unknown; path?: unknown } | undefined;
  if (typeof page?.path === "string") return page.path;
  if (typeof page?.url !== "string" || !URL.canParse(page.url)) return undefined;
  return new URL(page.url).pathname;
}
