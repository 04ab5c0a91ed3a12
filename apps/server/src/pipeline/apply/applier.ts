import type { Logger } from "pino";
import { EntryFault, type Rejection } from "../../domain/apply/entry-application.js";
import { LANE } from "../../domain/entries/lanes.js";
import type { ArrivedEntry } from "../../domain/entries/recent-entry.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import { memoryOf } from "../../storage/logs/compression.js";
import { isDataError } from "../../storage/postgres/database.js";
import type { LagRecorder } from "../../storage/postgres/figures/lag-recorder.js";
import { LeaseLost } from "../../storage/postgres/leases/lease-lost.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { ChangeBuffer } from "../buffers/change-buffer.js";
import { FittingSizes } from "../buffers/fitting-sizes.js";
import type { StepResult } from "../step-result.js";
import { type ApplyOptions, applyNext, FIRST_TURN, type Turn } from "./apply.js";

// Each step has a fixed cost, so larger steps are cheaper for each entry. Other organizations wait longer for a larger step.
export const MAX_ENTRIES = 4_000;
// Of large profiles fewer fit into the change buffer, and what does not fit is read back from the database. The first
// micro-batch is small: PostgreSQL would end the transaction of one that computes for more than ten seconds.
const SIZES = { first: 1_000, most: MAX_ENTRIES, least: 100 };
const SHRINK = 8;

export interface ApplierOptions {
  apply: Omit<ApplyOptions, "lease">;
  metrics: Metrics;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
  /** Takes each change to the relay. */
  changeBuffer: ChangeBuffer;
  /** Whether pages of computed values of the organization are being written. */
  isComputing(organizationId: string): boolean;
  /** Whether a member watches the live list of the organization's entries. */
  isWatched(organizationId: string): boolean;
  /** Called with entries of an organization that is watched. */
  onRejected(organizationId: string, rejected: readonly ArrivedEntry[]): void;
}

/**
 * The apply stage. A micro-batch that fails because of its data is tried again, smaller each time, until the entry that
 * breaks it is alone and is listed as rejected. The rest goes on.
 */
export class Applier {
  readonly #options: ApplierOptions;
  /** Of organizations with entries that break a micro-batch. */
  readonly #maxEntries = new Map<string, number>();
  readonly #sizes = new FittingSizes(SIZES);
  readonly #turns = new Map<string, Turn>();

  constructor(options: ApplierOptions) {
    this.#options = options;
    // An alert sees the first rejections only if the counter was there before them.
    options.metrics.entries.inc({ outcome: "rejected" }, 0);
  }

  /**
   * Applies one micro-batch of an organization, on which this process has the lease. Entries and users who are to follow
   * merged and erased accounts take turns.
   */
  async step(organizationId: string, lease: WorkLease): Promise<StepResult> {
    const { apply, metrics, lags, changeBuffer, isComputing, logger } = this.#options;
    const maxEntries = Math.min(this.#maxEntries.get(organizationId) ?? MAX_ENTRIES, this.#sizes.of(organizationId));
    const turn = this.#turns.get(organizationId) ?? FIRST_TURN;
    // A record that arrives now waits for every page that is ahead of it. A page of computed values needs the room of one
    // change.
    const isBesidePage = turn.isAfterPage || isComputing(organizationId);
    await changeBuffer.waitForRoom(organizationId, isBesidePage ? 1 : undefined);
    try {
      const applied = await applyNext({ ...apply, lease }, organizationId, maxEntries, turn);
      this.#grow(organizationId, maxEntries);
      if (!applied) return "idle";
      const isAfterPage = applied.entries === 0;
      this.#turns.set(organizationId, { lanes: turn.lanes + (isAfterPage ? 0 : 1), isAfterPage });
      const bytes = memoryOf(applied.jsonLength);
      changeBuffer.put(organizationId, { ...applied.change, appliedAt: Date.now() }, bytes);
      // A page of users who follow accounts brings no profiles along.
      if (!isAfterPage) this.#sizes.note(organizationId, applied.entries, bytes);
      // Bulk work waits on purpose, so its time says nothing about the stage.
      if (applied.change.lane !== LANE.bulk) {
        for (const [receivedAt, entries] of applied.received) lags.add(organizationId, "apply", receivedAt, entries);
      }
      metrics.lastApplied.setToCurrentTime();
      metrics.entries.inc({ outcome: "applied" }, applied.entries);
      metrics.entries.inc({ outcome: "rejected" }, applied.rejections.length);
      this.#noteRejected(organizationId, applied.rejections);
      for (const { entry, cause } of applied.faults) {
        const { type, connectorId } = entry;
        logger.error({ organizationId, connectorId, type, ...faultOf(cause) }, "an error in our code stopped an entry");
      }
      return applied.isLast ? "finished" : "worked";
    } catch (error) {
      const isOfEntries = isDataError(error) || error instanceof EntryFault;
      // It may have computed for so long that PostgreSQL has ended its transaction.
      if (!isOfEntries && !(error instanceof LeaseLost)) this.#sizes.failed(organizationId);
      // A single entry that PostgreSQL refuses is rejected. If the rejection fails too, a retry would never end.
      if (!isOfEntries || maxEntries === 1) throw error;
      const smaller = Math.ceil(maxEntries / SHRINK);
      const code = isDataError(error) ? (error as { code?: string }).code : undefined;
      const problem = { organizationId, maxEntries: smaller, ...faultOf(error), ...(code ? { code } : {}) };
      logger.warn(problem, "a micro-batch failed because of its entries and is tried in parts");
      this.#maxEntries.set(organizationId, smaller);
      return "worked";
    }
  }

  #noteRejected(organizationId: string, rejections: readonly Rejection[]): void {
    const { isWatched, onRejected } = this.#options;
    if (rejections.length === 0 || !isWatched(organizationId)) return;
    onRejected(
      organizationId,
      rejections.map((rejection) => ({ outcome: "rejected" as const, ...rejection })),
    );
  }

  #grow(organizationId: string, maxEntries: number): void {
    if (maxEntries * SHRINK >= MAX_ENTRIES) this.#maxEntries.delete(organizationId);
    else this.#maxEntries.set(organizationId, maxEntries * SHRINK);
  }
}

/** The kind of an error and where it was thrown. Its message is left out: it may quote values of attributes. */
function faultOf(error: unknown): { fault: string; at: string[] } {
  if (!(error instanceof Error)) return { fault: typeof error, at: [] };
  const at = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return { fault: error.name, at: at.slice(0, 5).map((line) => line.trim()) };
}
