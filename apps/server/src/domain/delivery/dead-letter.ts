import type { DeadLetterDetails } from "@muster/protocol/api/dead-letters";
import type { StoredMessage } from "./message.js";

/** The last call that failed to deliver a message, and what the connector answered. */
export type FailedCall = Pick<DeadLetterDetails, "request" | "answer" | "reason" | "attempts">;

/** A message that could not be delivered and is kept for people to look at. */
export interface DeadLetter extends FailedCall {
  id: number;
  connectorId: string;
  /** Path of the subscription. */
  url: string;
  channel: string;
  objectId: string;
  createdAt: Date;
  message: StoredMessage;
  /** Why it could not be delivered, in words that are the same for all letters of a group. */
  cause: string;
  /** Who has edited the message, and when. */
  edit: { by: string; at: Date } | null;
}

/** Dead letters with the same cause, for the same connector. */
export interface DeadLetterGroup {
  connectorId: string;
  cause: string;
  letters: number;
  firstAt: Date;
  lastAt: Date;
  /** The newest of them. */
  newestId: number;
}

export interface DeadLetterFilter {
  ids?: readonly number[];
  connectorId?: string;
  channel?: string;
  objectId?: string;
  /** Part of the reason. */
  reason?: string;
  cause?: string;
  /** Only letters up to this id: those that somebody has seen. */
  upTo?: number;
}
