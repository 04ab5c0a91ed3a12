import { groupTraits } from "@muster/client";
import { isObject } from "@muster/protocol";
import type { Context } from "../context/context.js";
import { matchesFilter, type SegmentFilterSettings } from "./matches-filter.js";
import type { NotificationOptions } from "./notification-options.js";

/** Prepares messages for a handler: groups their attributes if the options say so, and sets `matchesFilter`. */
export function prepareMessages(
  { connector }: Context,
  channel: string,
  messages: readonly Record<string, unknown>[],
  options: NotificationOptions,
): Record<string, unknown>[] {
  const filter = filterOf(options);
  const isFiltered = /^(user|account):update$/.test(channel);
  return messages.map((message) => {
    const prepared = options.groupTraits ? withGroupedTraits(message) : { ...message };
    if (!isFiltered) return prepared;
    // Without a filter for the channel, Muster's own value is kept.
    prepared.matchesFilter = matchesFilter(message, channel, connector, filter) ?? message.matchesFilter !== false;
    return prepared;
  });
}

function filterOf({ filter, segmentFilterSetting }: NotificationOptions): SegmentFilterSettings {
  if (filter?.user_segments !== undefined || filter?.account_segments !== undefined) return filter;
  return { user_segments: segmentFilterSetting };
}

function withGroupedTraits(message: Record<string, unknown>): Record<string, unknown> {
  const grouped = { ...message };
  for (const subjectType of ["user", "account"]) {
    const report = message[subjectType];
    if (isObject(report)) grouped[subjectType] = groupTraits(report);
  }
  return grouped;
}
