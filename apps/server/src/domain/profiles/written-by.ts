/** Who wrote a value: a connector, a job, a member by hand, or the operator when all are null. */
export interface WrittenBy {
  connectorId: string | null;
  jobId: string | null;
  memberId: string | null;
}

/**
 * Reads the source of a cell: the connector's id, with `/` and the job's id when a job wrote it. A value that a member wrote
 * by hand has `//` and the member's id.
 */
export function readSource(source: string): WrittenBy {
  const [connectorId = "", jobId = "", memberId = ""] = source.split("/");
  return { connectorId: connectorId || null, jobId: jobId || null, memberId: memberId || null };
}
