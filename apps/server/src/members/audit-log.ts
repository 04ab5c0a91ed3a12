import type { AuditEntry, AuditFilter, NewAuditEntry } from "../domain/members/audit-entry.js";
import type { Queryable } from "../storage/postgres/database.js";
import { appendAuditEntry, listAuditEntries } from "../storage/postgres/members/audit-log.js";

/** Every change that people have made in an organization. */
export class AuditLog {
  readonly #database: Queryable;

  constructor(database: Queryable) {
    this.#database = database;
  }

  append(organizationId: string, entry: NewAuditEntry): Promise<void> {
    return appendAuditEntry(this.#database, organizationId, entry);
  }

  /** One page, the newest entry first. */
  list(
    organizationId: string,
    filter: AuditFilter,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; entries: AuditEntry[] }> {
    return listAuditEntries(this.#database, organizationId, filter, page);
  }
}
