import type { RefusalBody, RefusalCode } from "./refusal.js";

/** The types that an entry of a batch can have; `incinerate` erases its subject. */
export const ENTRY_TYPES = ["traits", "track", "alias", "unalias", "incinerate"] as const;

export type EntryType = (typeof ENTRY_TYPES)[number];

export interface BatchEntry {
  type: EntryType;
  /** When it happened, ISO 8601. */
  timestamp: string;
  /** Holds the access token, which names the subject of the entry. */
  headers: Record<string, string>;
  body: Record<string, unknown>;
  requestId?: string;
  context?: Record<string, unknown>;
}

/** The body of a gateway request. */
export interface BatchRequest {
  batch: BatchEntry[];
  timestamp: string;
  /** The time of sending by the sender's clock. The receiver corrects the timestamps of the entries by it. */
  sentAt: string;
}

/** Why one entry was refused; `index` is its place in the batch. */
export interface EntryVerdict {
  index: number;
  code: RefusalCode;
  message: string;
}

/** The gateway's answer. A batch that is sent again gets the answer it got first, with `duplicate` true. */
export interface BatchAnswer {
  position: string;
  accepted: number;
  rejected: EntryVerdict[];
  duplicate: boolean;
}

/** The answer to a batch of which no entry was accepted: a refusal that also holds the verdict on every entry. */
export interface BatchRefusalBody extends RefusalBody {
  rejected: EntryVerdict[];
}
