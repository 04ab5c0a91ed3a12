import type { Lane, LanePositions } from "../../domain/entries/lanes.js";
import type { WaitingMessage } from "./part-receipts.js";

/** A log that holds or held the batches of an organization. */
export interface LogHome {
  number: number;
  /** The stream, when the log is in NATS JetStream; undefined when it is in PostgreSQL. */
  stream: HomeStream | undefined;
  /** Nothing new is written since this time, because the log is being moved. */
  closingAt: Date | undefined;
  /** The last position of each lane; undefined when this is the present log. */
  until: LanePositions | undefined;
}

export interface HomeStream extends StreamIdentity {
  /** The position of a message is this number and its sequence in the stream. */
  base: number;
  /** Messages up to this sequence are of an earlier time when the organization was in the same stream. */
  afterSequence: number;
}

export interface StreamIdentity {
  name: string;
  /** When it was created, as NATS says it. A stream that was lost and made again has another time. */
  created: string;
}

/** A stream that ends before a sequence that it has given once. */
export interface TruncatedStream extends StreamIdentity {
  /** The highest sequence that was acknowledged or applied, and the last one that was found. */
  known: number;
  found: number;
}

/** A lane of an organization in a stream. */
export interface StreamLane {
  stream: HomeStream;
  organizationId: string;
  lane: Lane;
}

/** The log that an organization leaves, while it is moved to PostgreSQL. */
export interface LeftLog {
  /** The messages after a position. */
  readWaiting(place: StreamLane, after: number): Promise<WaitingMessage[]>;
  dropBatch(place: StreamLane, position: number): Promise<void>;
}
