import type { AccountClaims, EntryType, SubjectType, UserClaims } from "@muster/protocol";

/**
 * An accepted record as the ingestion log holds it. Its token is verified, and its time is by the clock of the server.
 */
export interface Entry {
  /** Only people and connectors by the API undo a merge, so clients cannot send such an entry. */
  type: EntryType | "unmerge";
  /** Record time in milliseconds. */
  at: number;
  connectorId: string;
  /** An end user made the entry: with a token that the connector signed, or on a page. Without it, the connector made the entry. */
  byEndUser?: true;
  jobId?: string;
  /** The member who wrote it by hand. There is no connector then. */
  memberId?: string;
  subject: SubjectType;
  user?: UserClaims;
  account?: AccountClaims;
  create: boolean;
  active: boolean;
  body: Record<string, unknown>;
  /** Track entries only: the event id that the sender gave, or one derived from the content. */
  eventId?: string;
  /** Set when the sender gave the event id. Then a later record with the same id overwrites the event. */
  overwrites?: true;
  /** Beside `overwrites`: a later record with the same id is the same record, sent again. It is dropped. */
  once?: true;
  /** What the client said about itself and the request. It becomes part of the context of the event. */
  context?: Record<string, unknown>;
  /** Existing values stay, whatever their time is. */
  keepExisting?: true;
  /** Imported records only: when their file was given. They are no newer than it, whenever the import runs. */
  writtenAt?: number;
  /** Imported records only: the line in the file. */
  line?: number;
  /** Connectors are not notified of the changes of this entry. */
  quiet?: true;
  /** Imported users only: properties of the `Imported User` event that the entry makes. */
  announces?: Record<string, unknown>;
}
