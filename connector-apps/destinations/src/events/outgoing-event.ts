/** An event in the shape that the package reads: that of the public analytics libraries. */
export interface OutgoingEvent {
  type: "identify" | "track" | "page" | "screen" | "group";
  messageId: string;
  timestamp: string;
  sentAt: string;
  receivedAt: string;
  userId?: string;
  anonymousId?: string;
  groupId?: string;
  event?: string;
  name?: string;
  category?: string;
  traits?: Record<string, unknown>;
  properties?: Record<string, unknown>;
  context: Record<string, unknown>;
  /** Says which other services get it. Muster decides that by segments, so it is empty. */
  integrations: Record<string, never>;
}

/** The service's own audience of a segment. */
export interface Audience {
  segmentId: string;
  /** What it is called in properties. */
  key: string;
  /** The id at the service; undefined when the service makes none. */
  externalId?: string | undefined;
}
