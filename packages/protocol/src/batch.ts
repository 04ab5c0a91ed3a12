import type { RefusalBody, RefusalCode } from "./refusal.js";

/** What an entry of a batch may ask for; `incinerate` erases its subject. */
export const ENTRY_TYPES = ["traits", "track", "alias", "unalias", "incinerate"] as const;

export type EntryType = (typeof ENTRY_TYPES)[number];

export interface BatchEntry {
  type: EntryType;
  /** When it happened, ISO 8601. */
  timestamp: string;
  /** Holds the access token that says whose record this is. */
  headers: Record<string, string>;
  body: Record<string, unknown>;
  requestId?: string;
  context?: Record<string, unknown>;
}

/** The body of a gateway request. */
export interface BatchRequest {
  batch: BatchEntry[];
  timestamp: string;
  /** When the sender's clock said it was sent: the receiver corrects the entries' timestamps by it. */
  sentAt: string;
}

/** Why one entry was refused; `index` is its place in the batch. */
export interface EntryVerdict {
  index: number;
  code: RefusalCode;
  message: string;
}

/** The gateway's answer. A batch sent again gets its first answer, with `duplicate` true. */
export interface BatchAnswer {
  position: string;
  accepted: number;
  rejected: EntryVerdict[];
  duplicate: boolean;
}

/** The answer to a batch of which no entry was accepted: a refusal that still gives every entry its own verdict. */
export interface BatchRefusalBody extends RefusalBody {
  rejected: EntryVerdict[];
}
