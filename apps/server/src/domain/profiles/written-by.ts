/** Who wrote a value: a connector, a job, or the operator when there is no connector. */
export interface WrittenBy {
  connectorId: string | null;
  jobId: string | null;
}

/** Reads the source of a cell: the connector's id, with `/` and the job's id when a job wrote it. */
export function readSource(source: string): WrittenBy {
  const [connectorId = "", jobId = ""] = source.split("/");
  return { connectorId: connectorId || null, jobId: jobId || null };
}
