import { type Brand, Refusal } from "@muster/protocol";
import type { RejectedEntry as RejectedEntryRecord } from "@muster/protocol/api/ingestion";
import { endUserProblem, shapeProblem } from "../domain/entries/admit-entry.js";
import type { RejectedFilter } from "../domain/entries/rejected-filter.js";
import type { Database } from "../storage/postgres/database.js";
import {
  discardRejected,
  giveBackRetry,
  groupRejected,
  listRejected,
  type RejectedEntry,
  takeForRetry,
} from "../storage/postgres/ingest/rejected-entries.js";
import type { Intake } from "./accept/intake.js";

export interface RejectedEntriesOptions {
  database: Database;
  intake: Pick<Intake, "acceptEntries">;
  brand: Brand;
}

// All are in memory at once, and make one batch.
const MAX_RETRIED = 5_000;

export interface Retry {
  retried: number;
  position: string;
}

type Limits = { limit: number; offset: number };

/** Entries that were accepted and then could not be applied, each with its reason. */
export class RejectedEntries {
  readonly #options: RejectedEntriesOptions;

  constructor(options: RejectedEntriesOptions) {
    this.#options = options;
  }

  /** The rejected entries that match, the latest first. */
  async list(
    organizationId: string,
    filter: RejectedFilter,
    page: Limits,
  ): Promise<{ total: number; rejected: RejectedEntryRecord[] }> {
    const { total, rejected } = await listRejected(this.#options.database, organizationId, filter, page);
    return { total, rejected: rejected.map(rejectedEntryRecord) };
  }

  /** The rejected entries that match, in groups of the same reason. */
  async reasons(organizationId: string, filter: RejectedFilter, page: Limits) {
    const { total, groups } = await groupRejected(this.#options.database, organizationId, filter, page);
    const reasons = groups.map(({ connectorIds, firstAt, lastAt, ...group }) => ({
      ...group,
      connector_ids: connectorIds,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    }));
    return { total, reasons };
  }

  /**
   * Accepts rejected entries again: those of the ids in the filter, or those that match and were not retried yet.
   * Undefined when there are none.
   */
  async retry(organizationId: string, filter: RejectedFilter): Promise<Retry | undefined> {
    const wanted = filter.ids ? filter : { ...filter, isRetried: false };
    return this.#acceptAgain(
      organizationId,
      await takeForRetry(this.#options.database, organizationId, wanted, MAX_RETRIED),
    );
  }

  /**
   * Accepts one rejected entry again, with another body. Whom it is about, its time and its event id stay. Undefined
   * when there is no such entry.
   */
  async retryWith(
    organizationId: string,
    filter: RejectedFilter & { ids: readonly [number] },
    body: Record<string, unknown>,
  ): Promise<Retry | undefined> {
    const { database, brand } = this.#options;
    const { rejected } = await listRejected(database, organizationId, filter, { limit: 1, offset: 0 });
    const [found] = rejected;
    if (!found || found.code === "invalid_call") return undefined;
    const edited = { ...found.entry, body };
    const problem = shapeProblem(edited) ?? (edited.byEndUser ? endUserProblem(edited, brand) : undefined);
    if (problem) throw new Refusal(problem.code, problem.message);
    const taken = await takeForRetry(database, organizationId, filter, 1);
    return this.#acceptAgain(
      organizationId,
      taken.map((row) => ({ ...row, entry: { ...row.entry, body } })),
    );
  }

  /** Deletes rejected entries for good. Returns how many there were. */
  discard(organizationId: string, filter: RejectedFilter): Promise<number> {
    return discardRejected(this.#options.database, organizationId, filter);
  }

  async #acceptAgain(organizationId: string, taken: readonly RejectedEntry[]): Promise<Retry | undefined> {
    const { database, intake } = this.#options;
    const [first] = taken;
    if (!first) return undefined;
    const entries = taken.map(({ entry }) => entry);
    try {
      const position = await intake.acceptEntries(organizationId, first.entry.connectorId, entries);
      return { retried: taken.length, position };
    } catch (error) {
      await giveBackRetry(database, organizationId, taken);
      throw error;
    }
  }
}

function rejectedEntryRecord(rejected: RejectedEntry): RejectedEntryRecord {
  return {
    id: rejected.id,
    connector_id: rejected.connectorId,
    code: rejected.code,
    message: rejected.message,
    reason: rejected.reason,
    entry: { ...rejected.entry },
    rejected_at: rejected.rejectedAt.toISOString(),
    retried_at: rejected.retriedAt?.toISOString() ?? null,
  };
}
