import type { Database } from "../storage/postgres/database.js";
import {
  giveBackRetry,
  listRejected,
  type RejectedEntry,
  takeForRetry,
} from "../storage/postgres/ingest/rejected-entries.js";
import type { Intake } from "./accept/intake.js";

export interface RejectedEntriesOptions {
  database: Database;
  intake: Pick<Intake, "acceptEntries">;
}

/** A rejected entry as the API shows it. */
export interface RejectedEntryRecord {
  id: number;
  connector_id: string;
  code: string;
  message: string;
  entry: Record<string, unknown>;
  rejected_at: string;
  retried_at: string | null;
}

/** Entries that were accepted and then could not be applied, each with its reason. */
export class RejectedEntries {
  readonly #options: RejectedEntriesOptions;

  constructor(options: RejectedEntriesOptions) {
    this.#options = options;
  }

  /** The rejected entries of an organization, or of one of its connectors, the latest first. */
  async list(
    organizationId: string,
    connectorId: string | undefined,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; rejected: RejectedEntryRecord[] }> {
    const { total, rejected } = await listRejected(this.#options.database, organizationId, connectorId, page);
    return { total, rejected: rejected.map(rejectedEntryRecord) };
  }

  /**
   * Accepts rejected entries of an organization or of one of its connectors again: those of `ids`, or all that were not
   * retried yet. Undefined when there are none.
   */
  async retry(
    organizationId: string,
    connectorId: string | undefined,
    ids: readonly number[] | undefined,
  ): Promise<{ retried: number; position: string } | undefined> {
    const { database, intake } = this.#options;
    const taken = await takeForRetry(database, organizationId, connectorId, ids);
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
    entry: { ...rejected.entry },
    rejected_at: rejected.rejectedAt.toISOString(),
    retried_at: rejected.retriedAt?.toISOString() ?? null,
  };
}
