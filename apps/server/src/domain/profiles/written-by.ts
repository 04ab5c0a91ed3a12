/** Who wrote a value: a connector, a job, a member by hand, a computed attribute, or the operator when all are null. */
export interface WrittenBy {
  connectorId: string | null;
  jobId: string | null;
  memberId: string | null;
  /** The computed attribute that the value is of. */
  computedId: string | null;
}

/**
 * Reads the source of a cell: the connector's id, with `/` and the job's id when a job wrote it. A value that a member wrote
 * by hand has `//` and the member's id, a computed one `///` and the id of the computed attribute.
 */
export function readSource(source: string): WrittenBy {
  const [connectorId = "", jobId = "", memberId = "", computedId = ""] = source.split("/");
  return {
    connectorId: connectorId || null,
    jobId: jobId || null,
    memberId: memberId || null,
    computedId: computedId || null,
  };
}

export function computedSource(computedId: string): string {
  return `///${computedId}`;
}
