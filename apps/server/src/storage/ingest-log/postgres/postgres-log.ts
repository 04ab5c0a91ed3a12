import { Refusal } from "@muster/protocol";
import type { Entry } from "../../../domain/entries/entry.js";
import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import { LogGap } from "../../logs/log-gap.js";
import type { Database, Queryable, Transaction } from "../../postgres/database.js";
import type { IngestionLog, LogCursor, LogKind } from "../ingestion-log.js";
import type { BatchLimits, LogBatch, LoggedBatch, Receipt } from "../log-batch.js";
import { dropLoggedEntries } from "./drop-logged-entries.js";
import { appendBatches, readBatches, readHeads } from "./ingest-log.js";
import { readHomes } from "./log-homes.js";
import { LogRelocated } from "./log-relocated.js";
import { relocateToPostgres } from "./relocate-log.js";

const NO_NATS = "The ingestion log of this organization is in NATS, and this server has no NATS_URL.";

/**
 * The ingestion log in PostgreSQL. Upkeep drops its old partitions, and the rows of a deleted organization go with those
 * of all other tables.
 */
export class PostgresLog implements IngestionLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async append(organizationId: string, batches: readonly LogBatch[]): Promise<Receipt[]> {
    try {
      return await appendBatches(this.#database, organizationId, batches);
    } catch (error) {
      if (!(error instanceof LogRelocated)) throw error;
      throw new Refusal("unavailable", NO_NATS, { retryAfter: 10 });
    }
  }

  knownHeads(tx: Queryable, organizationId: string): Promise<LanePositions> {
    return readHeads(tx, organizationId);
  }

  heads(organizationId: string): Promise<LanePositions> {
    return readHeads(this.#database, organizationId);
  }

  async read(
    tx: Transaction,
    organizationId: string,
    lane: Lane,
    after: LogCursor,
    limits: BatchLimits,
  ): Promise<LoggedBatch[]> {
    try {
      return await readBatches(tx, organizationId, lane, after, limits);
    } catch (error) {
      if (!(error instanceof LogGap)) throw error;
      const { stream } = (await readHomes(tx, organizationId)).at(-1) ?? {};
      throw stream ? new Error(NO_NATS, { cause: error }) : error;
    }
  }

  dropEntries(
    tx: Transaction,
    organizationId: string,
    { lane, after }: { lane: Lane; after: number },
    isDropped: (entry: Entry, receivedAt: Date) => boolean,
  ): Promise<CleanedPage> {
    return dropLoggedEntries(tx, organizationId, lane, after, isDropped);
  }

  async move(organizationId: string, to: LogKind, { abandon }: { abandon: boolean }): Promise<void> {
    if (to === "postgres") {
      if (abandon) return relocateToPostgres(this.#database, organizationId, undefined);
      const homes = await readHomes(this.#database, organizationId);
      if (!homes.at(-1)?.stream) return;
    }
    throw new Refusal("conflict", "This server has no NATS_URL.");
  }

  async renew(): Promise<void> {
    throw new Refusal("conflict", "This server has no NATS_URL.");
  }

  async lacks(): Promise<boolean> {
    return false;
  }

  listen(): void {}
  async noteHeads(): Promise<void> {}
  async dropBatch(): Promise<void> {}
  async trim(): Promise<void> {}
  async remove(): Promise<void> {}
  async ping(): Promise<void> {}
  async close(): Promise<void> {}
}
