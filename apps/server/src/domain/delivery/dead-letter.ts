import type { StoredMessage } from "./message.js";

/** The last call that failed to deliver a message, and what the connector answered. */
export interface FailedCall {
  request: { url: string; notification_id: string; messages: number; sent_at: string };
  answer: { status: number; body: string } | null;
  reason: string;
  attempts: number;
}

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
}

export interface DeadLetterFilter {
  ids?: readonly number[];
  connectorId?: string;
  channel?: string;
  objectId?: string;
  /** Part of the reason. */
  reason?: string;
}
