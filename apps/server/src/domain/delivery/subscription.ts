import type { Channel, SubjectType } from "@muster/protocol";
import type { DeclaredSubscription, ReadManifest } from "@muster/protocol/manifest";
import { type SettingValues, settingValue } from "../connectors/setting-values.js";

/** Which users or accounts a subscription is about. */
export interface SegmentFilter {
  all: boolean;
  anonymous: boolean;
  identified: boolean;
  segmentIds: ReadonlySet<string>;
}

/** A subscription of a connector with the settings it depends on filled in. */
export interface Subscription {
  /** Path from the connector's root. */
  url: string;
  /** The channels it takes, or undefined when it takes all. */
  channels: ReadonlySet<string> | undefined;
  /** Who it is told about; everybody when there is none for a kind. */
  filters: Partial<Record<SubjectType, SegmentFilter>>;
  /** The events of users it is told about; all when undefined. */
  events: ReadonlySet<string> | undefined;
}

/** Tags that ask for batches of messages under flow control. */
const SMART_TAGS = ["smart-notifier", "kraken", "kraken-exports"];

export function isSmart({ tags }: ReadManifest): boolean {
  return SMART_TAGS.some((tag) => tags.includes(tag));
}

export function subscriptionsOf({ subscriptions }: ReadManifest, values: SettingValues): Subscription[] {
  return subscriptions.map((declared) => {
    const user = filterOf(declared, "user:update", values);
    const account = filterOf(declared, "account:update", values);
    return {
      url: declared.url,
      channels: declared.channels && new Set(declared.channels),
      filters: { ...(user ? { user } : {}), ...(account ? { account } : {}) },
      events: eventsOf(declared, values),
    };
  });
}

/** The name a subscription knows a channel by, or undefined when it does not take it. */
export function channelName({ channels }: Subscription, channel: Channel): string | undefined {
  if (!channels || channels.has(channel)) return channel;
  // Older connectors know segments of one kind only.
  const general = channel.replace(/^(users|accounts)_segment:/, "segment:");
  return channels.has(general) ? general : undefined;
}

/** Who a subject is, as far as filters ask. */
export interface FilteredSubject {
  segmentIds: readonly string[];
  isIdentified: boolean;
}

/** Whether a subject is now among those a subscription is about. */
export function matchesFilter(filter: SegmentFilter | undefined, subject: FilteredSubject): boolean {
  if (!filter || filter.all) return true;
  if (subject.isIdentified ? filter.identified : filter.anonymous) return true;
  return subject.segmentIds.some((id) => filter.segmentIds.has(id));
}

/** Whether a subscription is told about a subject: it matches, or it just left a segment of the filter. */
export function isToldAbout(filter: SegmentFilter | undefined, subject: FilteredSubject, left: readonly string[]) {
  return matchesFilter(filter, subject) || left.some((id) => filter?.segmentIds.has(id));
}

function filterOf(
  { segmentSettings }: DeclaredSubscription,
  channel: Channel,
  values: SettingValues,
): SegmentFilter | undefined {
  const paths = segmentSettings[channel];
  if (!paths) return undefined;
  const chosen = new Set(paths.flatMap((path) => textsIn(settingValue(values, path))));
  return {
    all: chosen.has("ALL"),
    anonymous: chosen.has("ANONYMOUS"),
    identified: chosen.has("IDENTIFIED"),
    segmentIds: chosen,
  };
}

function eventsOf({ eventSettings }: DeclaredSubscription, values: SettingValues): ReadonlySet<string> | undefined {
  const given = eventSettings["user:update"]?.map((path) => settingValue(values, path));
  // A setting that was never touched limits nothing.
  if (!given || given.every((value) => value === undefined || value === null)) return undefined;
  const names = new Set(given.flatMap(textsIn));
  return names.has("ALL") ? undefined : names;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}
