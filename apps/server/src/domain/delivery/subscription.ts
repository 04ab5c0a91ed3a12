import { type Channel, readSegmentFilter, type SegmentFilter, type SubjectType } from "@muster/protocol";
import type { DeclaredSubscription, ReadManifest } from "@muster/protocol/manifest";
import { type SettingValues, settingValue } from "../connectors/setting-values.js";

/** A subscription of a connector, with the values of the settings it depends on. */
export interface Subscription {
  /** Senders can say by name which connectors may be told of an event. */
  connectorName: string;
  /** Path from the connector's root. */
  url: string;
  /** The channels it takes; all when undefined. */
  channels: ReadonlySet<string> | undefined;
  /** Which users and which accounts it wants messages about; all when there is no filter. */
  filters: Partial<Record<SubjectType, SegmentFilter>>;
  /** The events of users that its messages contain; all when undefined. */
  events: ReadonlySet<string> | undefined;
}

/** The tags of connectors that take batches of messages under flow control. */
const SMART_TAGS = ["smart-notifier", "kraken", "kraken-exports"];

export function isSmart({ tags }: ReadManifest): boolean {
  return SMART_TAGS.some((tag) => tags.includes(tag));
}

/** Whether a connector wants one message about the latest changes of a user instead of one for each. */
export function combinesUpdates({ tags }: ReadManifest): boolean {
  return tags.includes("kraken");
}

export function subscriptionsOf(
  { subscriptions }: ReadManifest,
  values: SettingValues,
  connectorName: string,
): Subscription[] {
  return subscriptions.map((declared) => {
    const user = filterOf(declared, "user:update", values);
    const account = filterOf(declared, "account:update", values);
    return {
      connectorName,
      url: declared.url,
      channels: declared.channels && new Set(declared.channels),
      filters: { ...(user ? { user } : {}), ...(account ? { account } : {}) },
      events: eventsOf(declared, values),
    };
  });
}

/** The name under which a subscription takes a channel; undefined when it does not take it. */
export function channelName({ channels }: Subscription, channel: Channel): string | undefined {
  if (!channels || channels.has(channel)) return channel;
  // Older connectors use one name for the segments of users and of accounts.
  const general = channel.replace(/^(users|accounts)_segment:/, "segment:");
  return channels.has(general) ? general : undefined;
}

function filterOf(
  { segmentSettings }: DeclaredSubscription,
  channel: Channel,
  values: SettingValues,
): SegmentFilter | undefined {
  const paths = segmentSettings[channel];
  if (!paths) return undefined;
  return readSegmentFilter(paths.map((path) => settingValue(values, path)));
}

function eventsOf({ eventSettings }: DeclaredSubscription, values: SettingValues): ReadonlySet<string> | undefined {
  const given = eventSettings["user:update"]?.map((path) => settingValue(values, path));
  // The setting was never set: then all events are sent.
  if (!given || given.every((value) => value === undefined || value === null)) return undefined;
  const names = new Set(given.flatMap(textsIn));
  return names.has("ALL") ? undefined : names;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}
