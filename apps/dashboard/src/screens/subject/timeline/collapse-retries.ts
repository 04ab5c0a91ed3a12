import type { TimelineItem } from "@muster/protocol/api/history";

/** Items without the earlier tries of messages that were sent again, and how many tries each last one stands for. */
export interface CollapsedItems {
  items: TimelineItem[];
  /** By the id of the item. Messages that were sent once are not in it. */
  tries: ReadonlyMap<string, number>;
}

/** Leaves one delivery for each message: the last try. The items must be sorted, the latest first. */
export function collapseRetries(items: readonly TimelineItem[]): CollapsedItems {
  const lastTries = new Map<string, string>();
  const tries = new Map<string, number>();
  const kept = items.filter((item) => {
    if (item.kind !== "delivery") return true;
    const message = `${item.connector_id} ${item.message_id}`;
    const last = lastTries.get(message);
    if (last === undefined) {
      lastTries.set(message, item.id);
      return true;
    }
    tries.set(last, (tries.get(last) ?? 1) + 1);
    return false;
  });
  return { items: kept, tries };
}
