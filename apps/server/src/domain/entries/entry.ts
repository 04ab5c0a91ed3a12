import type { AccountClaims, EntryType, SubjectType, UserClaims } from "@muster/protocol";

/** An accepted record as the ingestion log holds it: its token is verified and its time is ours. */
export interface Entry {
  type: EntryType;
  /** Record time. */
  at: number;
  connectorId: string;
  jobId?: string;
  subject: SubjectType;
  user?: UserClaims;
  account?: AccountClaims;
  create: boolean;
  active: boolean;
  body: Record<string, unknown>;
  /** Of a track entry: the event id given, or one derived from the content. */
  eventId?: string;
  /** Set when the sender gave the event id: then a later record with it overwrites the event. */
  overwrites?: true;
  /** What the client said about itself and the request; kept in the event's context. */
  context?: Record<string, unknown>;
  /** Existing values win whatever their time. */
  keepExisting?: true;
  /** Of an imported record: where it stands in its file. */
  line?: number;
  /** Connectors are not told of what it changes. */
  quiet?: true;
  /** Of an imported user: properties of the event that tells of the import, once it is known who was new. */
  announces?: Record<string, unknown>;
}
