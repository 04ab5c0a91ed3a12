import type {
  AccountDeleteMessage,
  AccountUpdateMessage,
  SegmentRecord,
  UserDeleteMessage,
  UserUpdateMessage,
} from "@muster/protocol";
import type { ConnectorRecord } from "../connector-record.js";
import type { Context } from "../context/context.js";
import type { SegmentFilterSettings } from "./matches-filter.js";

/** The type of the messages of each channel. */
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

/** Handles messages, all of one connector. Throw, or reject, to get the messages again. */
export type MessageHandler<Message> = (ctx: Context, messages: Message[]) => unknown;

/** Handlers by channel, each with the message type of its channel. */
export type NotificationHandlers = { [Channel in keyof ChannelMessages]?: MessageHandler<ChannelMessages[Channel]> };

/** A handler of any channel. */
export type AnyMessageHandler = MessageHandler<never>;

export interface NotificationOptions {
  /** Errors go to the next error handler of the application instead of being answered here. Default false. */
  disableErrorHandling?: boolean | undefined;
  /** The largest number of messages in one call of the handler. Default 100. */
  maxSize?: number | undefined;
  /** Longest wait for a full chunk, in milliseconds. Default: 500 for single notifications, else Muster's default. */
  maxTime?: number | undefined;
  /** Settings that list segments; they decide `matchesFilter`. */
  filter?: SegmentFilterSettings | undefined;
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
