import type { REPORTED_RESULTS } from "./reported-results.js";

/** The kinds of change that a connector can subscribe to. */
export const CHANNELS = [
  "user:update",
  "user:delete",
  "account:update",
  "account:delete",
  "users_segment:update",
  "users_segment:delete",
  "accounts_segment:update",
  "accounts_segment:delete",
  "ship:update",
] as const;

export type Channel = (typeof CHANNELS)[number];

/** The old value and the new one. */
export type ValueChange = [unknown, unknown];

export interface SegmentRecord {
  id: string;
  name: string;
  type: "users_segment" | "accounts_segment";
  query: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

export interface SegmentChanges {
  entered: SegmentRecord[];
  left: SegmentRecord[];
}

export interface EventRecord {
  event: string;
  event_id: string;
  event_source: string;
  event_type: string;
  created_at: string;
  user_id: string;
  anonymous_id: string | null;
  session_id: string | null;
  properties: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** The report of a user or account: its fields by report key. */
export type SubjectRecord = Record<string, unknown> & { id: string };

export interface UserUpdateMessage {
  message_id: string;
  user: SubjectRecord;
  account: Record<string, unknown>;
  segments: SegmentRecord[];
  segment_ids: string[];
  account_segments: SegmentRecord[];
  account_segment_ids: string[];
  events: EventRecord[];
  changes: {
    is_new: boolean;
    /** Attributes and identifiers, by their keys in the report. */
    user: Record<string, ValueChange>;
    /** Changes of the account. When the user was linked to another account: what differs between the two, with the `id`. */
    account: Record<string, ValueChange>;
    segments: SegmentChanges;
    account_segments: SegmentChanges;
  };
  /**
   * Whether the user passes the filter of the subscription. False in the last message about a user who has just left the
   * filtered segments.
   */
  matchesFilter: boolean;
}

export interface AccountUpdateMessage {
  message_id: string;
  account: SubjectRecord;
  account_segments: SegmentRecord[];
  account_segment_ids: string[];
  changes: { is_new: boolean; account: Record<string, ValueChange>; account_segments: SegmentChanges };
  matchesFilter: boolean;
}

export interface UserDeleteMessage {
  message_id: string;
  user: { id: string };
}

export interface AccountDeleteMessage {
  message_id: string;
  account: { id: string };
}

/** The body of a notification. */
export interface Notification {
  notification_id: string;
  /** The channel, by the name that the connector subscribed with: `segment:update` stands for both kinds of segments. */
  channel: string;
  /** Whether the messages belong to an export. Otherwise they are about changes. */
  is_export: boolean;
  configuration: { id: string; organization: string; secret: string };
  connector: Record<string, unknown>;
  segments: readonly SegmentRecord[];
  accounts_segments: readonly SegmentRecord[];
  /**
   * Set when there are so many segments that the lists have only those that the messages name, and those in the settings
   * of the connector. A call without it, at least one a minute, has all.
   */
  partial_segments?: true;
  messages: object[];
  /** `retries`: how often a call that begins with the same message was attempted before. */
  kraken: { retries: number };
}

/** How a connector wants to receive the messages that follow. */
export interface FlowControl {
  /** `next`: send the next messages; `retry`: send the same messages again. */
  type: "next" | "retry";
  /** Most messages in the next call. */
  size?: number;
  /** Milliseconds to wait before the next call. */
  in?: number;
  /** Longest time in milliseconds to wait for a full batch. */
  in_time?: number;
  /** Unix time in seconds of the next call. */
  at?: number;
  /** With `retry`: the call is repeated as soon as the settings of the connector change, even if `in` is not over. */
  until?: "ship:update";
}

/** What became of one message, as the connector tells it: in the answer to a notification, or later. */
export interface MessageReport {
  message_id: string;
  result: (typeof REPORTED_RESULTS)[number];
  /** The HTTP status of the service's answer. */
  status?: number;
  /** What the service answered. `MAX_REPORTED_BODY_BYTES` of it are kept. */
  body?: string;
  /** Why, as a sentence for people. */
  reason?: string;
}

/** So much of a service's answer is kept of each message. */
export const MAX_REPORTED_BODY_BYTES = 2_048;

/** A connector's answer to a notification; any part may be missing. */
export interface NotificationAnswer {
  flow_control?: FlowControl;
  /** What became of the messages. Without it, the answer stands for all of them. */
  results?: MessageReport[];
  errors?: unknown[];
  metrics?: unknown[];
}
