import type { Lane, LanePositions } from "../../domain/entries/lanes.js";

/** Some entries of a batch, which become a row of the log. */
export interface LogPart {
  lane: Lane;
  entryCount: number;
  payload: Buffer;
}

/** A batch that is ready to be appended. */
export interface LogBatch {
  connectorId: string;
  receivedAt: Date;
  /** Identifies a batch, so that a retry is recognised. A batch without a digest is never recognised. */
  digest: Buffer | undefined;
  /** Its entries. The parts of one lane get positions in a row. */
  parts: readonly LogPart[];
  /** The part of the answer to the sender that does not depend on the positions. */
  answer: string;
}

export interface Receipt {
  /** The position of the last part in each lane. */
  positions: LanePositions;
  answer: string;
  duplicate: boolean;
  /** Whether the parts of a lane have positions in a row, and the receipt names the last one. */
  isDense: boolean;
}

/** A row of the log: a batch, or a part of one. */
export interface LoggedBatch {
  position: number;
  receivedAt: Date;
  entryCount: number;
  /** The compressed entries. */
  payload: Buffer;
  /** The size of the entries as JSON, about. */
  bytes: number;
}

export interface BatchLimits {
  maxEntries: number;
  maxBytes: number;
}
