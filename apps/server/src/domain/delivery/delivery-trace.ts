import type { TraceResult } from "@muster/protocol/api/deliveries";

/** Notes that one connector was sent one message about an object, and what became of it. */
export interface DeliveryTrace {
  objectId: string;
  connectorId: string;
  channel: string;
  sentAt: Date;
  durationMs: number;
  result: TraceResult;
  /** The HTTP status of the answer, of the service if the connector reported it; 0 when there was none. */
  status: number;
  notificationId: string;
  messageId: string;
  /** Why the message was not delivered; empty when it was. */
  reason: string;
  /** Whether the connector reported the result of this message. Otherwise it is that of the whole call. */
  isReported: boolean;
  /** What the service answered, if it did not accept the message and the connector reported it. */
  body: string;
}
