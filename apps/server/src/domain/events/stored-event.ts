/** An event as it is stored and read back. */
export interface StoredEvent {
  id: string;
  event: string;
  event_id: string;
  event_source: string;
  event_type: string;
  created_at: string;
  user_id: string;
  /** The user that the event was first resolved to, from before any merge. Undoing a merge needs it. */
  origin_id: string;
  account_id: string | null;
  anonymous_id: string | null;
  session_id: string | null;
  /** The entity that the user acted on. */
  entity_id?: string;
  properties: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** Identifies an event row that must be deleted. */
export interface EventKey {
  id: string;
  event: string;
  createdAt: number;
}
