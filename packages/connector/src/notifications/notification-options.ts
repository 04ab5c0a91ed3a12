import type {
  AccountDeleteMessage,
  AccountUpdateMessage,
  SegmentRecord,
  UserDeleteMessage,
  UserUpdateMessage,
} from "@muster/protocol";
import type { ConnectorRecord } from "../context/connector-record.js";
import type { Context } from "../context/context.js";
import type { SegmentFilter } from "./matches-filter.js";

/** What the messages of a channel are. */
export interface ChannelMessages {
  "user:update": UserUpdateMessage;
  "user:delete": UserDeleteMessage;
  "account:update": AccountUpdateMessage;
  "account:delete": AccountDeleteMessage;
  "segment:update": SegmentRecord;
  "segment:delete": SegmentRecord;
  "users_segment:update": SegmentRecord;
  "users_segment:delete": SegmentRecord;
  "accounts_segment:update": SegmentRecord;
  "accounts_segment:delete": SegmentRecord;
  "ship:update": ConnectorRecord;
}

/** Handles messages, always of one connector. Throw, or reject, to be told again. */
export type MessageHandler<Message> = (ctx: Context, messages: Message[]) => unknown;

/** Handlers by channel, each typed by what its messages are. */
export type NotificationHandlers = { [Channel in keyof ChannelMessages]?: MessageHandler<ChannelMessages[Channel]> };

/** A handler of any channel: which one it is for is known where it is wired. */
export type AnyMessageHandler = MessageHandler<never>;

export interface NotificationOptions {
  /** Errors go to the next error handler of the application instead of being answered here. Default false. */
  disableErrorHandling?: boolean | undefined;
  /** Most messages a handler is given at once. Default 100. */
  maxSize?: number | undefined;
  /** Longest wait for a full chunk, in milliseconds. Default 500 for single notifications, else the platform's. */
  maxTime?: number | undefined;
  /** Settings that list segments; they decide `matchesFilter`. */
  filter?: SegmentFilter | undefined;
  /** The same as `filter.user_segments`. */
  segmentFilterSetting?: string | undefined;
  /** Group the attributes of users: `traits_crm/stage` becomes `crm.stage`. Default false. */
  groupTraits?: boolean | undefined;
}

/** A channel's handler with its options. */
export interface ChannelHandler {
  handler: AnyMessageHandler;
  options: NotificationOptions;
}
