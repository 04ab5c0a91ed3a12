import { LRUCache } from "lru-cache";
import type { DiskSpace } from "../../runtime/disk/disk-space.js";
import type { Database } from "../../storage/postgres/database.js";
import { backlogOf } from "../../storage/postgres/ingest/apply-cursors.js";

export interface BacklogOptions {
  database: Database;
  maxBacklogEntries: number;
  /** The disk of the embedded database; undefined when the database is elsewhere. */
  disk: Pick<DiskSpace, "isLow"> | undefined;
}

const CHECK_EVERY_MS = 1_000;
const MAX_ORGANIZATIONS = 10_000;

/** Knows whether the log can take more entries: how many wait to be applied, and how full the disk is. */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #checked = new LRUCache<string, { at: number; problem: string | undefined }>({ max: MAX_ORGANIZATIONS });

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** A sentence that says why no entry can be accepted now, or undefined. It is looked up once a second at most. */
  async problem(organizationId: string): Promise<string | undefined> {
    // A monotonic clock: after the time of day was set back, an old answer would stay valid for hours.
    const now = performance.now();
    const checked = this.#checked.get(organizationId);
    if (checked && now - checked.at < CHECK_EVERY_MS) return checked.problem;
    // Requests that come during the look-up get the previous answer.
    this.#checked.set(organizationId, { at: now, problem: checked?.problem });
    const problem = await this.#lookUp(organizationId);
    this.#checked.set(organizationId, { at: now, problem });
    return problem;
  }

  async #lookUp(organizationId: string): Promise<string | undefined> {
    const { database, maxBacklogEntries, disk } = this.#options;
    const entries = await backlogOf(database, organizationId);
    if (entries > maxBacklogEntries) return `${entries} entries are waiting to be applied.`;
    if (await disk?.isLow()) return "The disk is nearly full.";
    return undefined;
  }
}
