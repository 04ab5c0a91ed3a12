import type { Entry } from "../../domain/entries/entry.js";
import type { Lane, LanePositions } from "../../domain/entries/lanes.js";
import type { CleanedPage } from "../logs/cleaned-page.js";
import type { Queryable, Transaction } from "../postgres/database.js";
import type { BatchLimits, LogBatch, LoggedBatch, Receipt } from "./log-batch.js";

export type LogKind = "postgres" | "nats";

/** Where reading goes on: after the batch at this position, which was received at this time. */
export interface LogCursor {
  position: number;
  receivedAt: Date | number;
  /** Entries of the next batch that are applied already. */
  offset: number;
}

/**
 * The ingestion log: every acknowledged batch, in three lanes for each organization. Positions grow
 * within a lane. There may be gaps between the positions of two batches.
 *
 * How far a lane is applied is in PostgreSQL, whatever log is used, so that it moves in the same transaction as the
 * profiles.
 */
export interface IngestionLog {
  /**
   * Appends batches of one organization. They are durable when it returns. A batch that was received before
   * gets its first answer again.
   */
  append(organizationId: string, batches: readonly LogBatch[]): Promise<Receipt[]>;
  /** The last position of each lane that this process knows of. Another process may have appended more. */
  knownHeads(tx: Queryable, organizationId: string): Promise<LanePositions>;
  /**
   * The last position of each lane. It may be out of date if it already reaches `wanted`, because a request to the log
   * costs more than a look at what this process knows.
   */
  heads(organizationId: string, wanted: LanePositions): Promise<LanePositions>;
  /** Whether a position is one that the log does not have: it was lost, or never given. Asked about applied ones. */
  lacks(organizationId: string, positions: LanePositions): Promise<boolean>;
  /**
   * The next batches of a lane, up to the limits, and at least one. Must be called only when there is one. A copy of a
   * batch that has already taken effect comes without entries.
   */
  read(
    tx: Transaction,
    organizationId: string,
    lane: Lane,
    after: LogCursor,
    limits: BatchLimits,
  ): Promise<LoggedBatch[]>;
  /** Calls `listener` when batches of an organization were appended by any process. Some may be missed. */
  listen(listener: (organizationId: string) => void): void;
  /** Records in PostgreSQL the batches that no process has recorded there, so that the search for work finds them. */
  noteHeads(): Promise<void>;
  /**
   * Deletes entries from the batches of one page of a lane. Batches that are not applied are left alone. `isMentionedIn`
   * decides about the answers to batches, where the log has them.
   */
  dropEntries(
    tx: Transaction,
    organizationId: string,
    page: { lane: Lane; after: number },
    isDropped: (entry: Entry, receivedAt: Date) => boolean,
    isMentionedIn: (text: string) => boolean,
  ): Promise<CleanedPage>;
  /** Deletes an applied batch, if the log cannot delete single entries of a batch. */
  dropBatch(organizationId: string, lane: Lane, position: number): Promise<void>;
  /** Deletes batches that are applied and were received before a time. */
  trim(before: Date): Promise<void>;
  /** Deletes everything of an organization that is not in PostgreSQL. */
  remove(organizationId: string): Promise<void>;
  /**
   * Begins to move the log of an organization, or goes on with it. What it has is applied from where it is. With
   * `abandon`, what is not applied is given up instead, because the log is lost.
   */
  move(organizationId: string, to: LogKind, options: { abandon: boolean }): Promise<void>;
  /**
   * Goes on in another stream, above all positions that were ever given, because the present one was truncated. What the
   * present stream still has is applied first.
   */
  renew(organizationId: string): Promise<void>;
  /** Throws when the log cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
