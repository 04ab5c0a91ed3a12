/** Thrown when a batch cannot be appended to the log in PostgreSQL, because the organization has another log. */
export class LogRelocated extends Error {
  constructor(organizationId: string) {
    super(`The ingestion log of ${organizationId} is not in PostgreSQL.`);
    this.name = "LogRelocated";
  }
}
