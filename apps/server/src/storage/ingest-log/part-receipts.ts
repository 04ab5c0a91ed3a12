import type { Lane, LanePositions } from "../../domain/entries/lanes.js";

/** What is known of a batch that was received before. */
export interface BatchReceipt {
  positions: LanePositions;
  answer: string;
  /** Whether all of it was read from the log. */
  isWhole: boolean;
  /** The positions of its parts that were read; undefined for a batch that came through the log in PostgreSQL. */
  parts: ReadonlyMap<string, number> | undefined;
}

/** A part of a batch that was read from a log outside PostgreSQL. */
export interface ReadPart {
  digest: Buffer;
  lane: Lane;
  position: number;
  /** Names the part within its batch. */
  part: string;
  /** How many parts the batch has. */
  partCount: number;
  receivedAt: Date;
  /** The answer to the sender. Only the first part of a batch has it. */
  answer: string;
}

/** A message that is not applied. */
export interface WaitingMessage {
  position: number;
  entryCount: number;
  /** Undefined for a message of a batch that is never recognised. */
  part: ReadPart | undefined;
}

/**
 * What PostgreSQL knows of the batches of one organization, in the transaction that applies them. A log outside PostgreSQL
 * recognises copies of a batch with it.
 */
export interface PartReceipts {
  /** The receipts of batches, by their digests in hexadecimal. */
  read(digests: readonly Buffer[]): Promise<ReadonlyMap<string, BatchReceipt>>;
  /** Notes parts that were read, so that a later copy of each is recognised. */
  note(parts: readonly ReadPart[]): Promise<void>;
}
