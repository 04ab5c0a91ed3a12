import type { Asking } from "./asking.js";
import type { EventFigures } from "./event-figures.js";
import type { Extracting } from "./extracting.js";
import type { Memberships } from "./memberships.js";
import type { Projection } from "./projection.js";

/**
 * The port for questions: whatever is asked about many users, accounts and events at once. PostgreSQL holds the truth;
 * behind this port is a columnar copy of it that can be lost and rebuilt. `duckdb/` answers inside the process,
 * `clickhouse/` from a server; nobody above this folder knows which.
 *
 * Ids of organizations, users, accounts, events and segments are the 24 hex digits of the API throughout. Each call is
 * about one organization and cannot see another.
 */
export interface Questions extends Projection, Asking, Memberships, EventFigures, Extracting {
  /** Throws when the engine does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
