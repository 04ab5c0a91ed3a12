import type { CallOutcome } from "./delivery.js";

/** Notes that one connector was sent one message about an object, and how the call ended. */
export interface DeliveryTrace {
  objectId: string;
  connectorId: string;
  channel: string;
  sentAt: Date;
  durationMs: number;
  result: CallOutcome["kind"];
  /** The HTTP status of the answer; 0 when there was none. */
  status: number;
  notificationId: string;
  messageId: string;
  /** Why the call failed; empty when it did not. */
  reason: string;
}
