import type { Asking } from "./asking.js";
import type { Computing } from "./computing.js";
import type { Arranging } from "./event-columns.js";
import type { EventFigures } from "./event-figures.js";
import type { Extracting } from "./extracting.js";
import type { Insights } from "./insights.js";
import type { Memberships } from "./memberships.js";
import type { Projection } from "./projection.js";

/**
 * The port of the question engine, which answers questions about many users, accounts and events at once. The engine has
 * a columnar copy of the data in PostgreSQL, which can be lost and rebuilt. `duckdb/` runs inside this process,
 * `clickhouse/` uses a server. The code above this folder does not know which engine is used.
 *
 * All ids of organizations, users, accounts, events and segments are the 24 hex digits of the API. Each call is about one
 * organization and has no access to others.
 */
export interface Questions
  extends Projection,
    Asking,
    Memberships,
    EventFigures,
    Insights,
    Computing,
    Extracting,
    Arranging {
  /** Throws when the engine does not answer. */
  ping(): Promise<void>;
  /** The name of the engine and its version, such as `DuckDB 1.4.1`. */
  version(): Promise<string>;
  close(): Promise<void>;
}
