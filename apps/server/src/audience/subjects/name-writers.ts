import type { Writer as WriterRecord } from "@muster/protocol/api/history";
import { readSource } from "../../domain/profiles/written-by.js";
import type { FindConnector } from "./find-connector.js";

/** Finds the names of the connectors in the sources of values. Returns who each source is. */
export async function nameWriters(
  findConnector: FindConnector,
  organizationId: string,
  sources: Iterable<string | undefined>,
): Promise<(source: string | undefined) => WriterRecord | null> {
  const named = new Map<string, WriterRecord>();
  for (const source of new Set(sources)) {
    if (source === undefined) continue;
    const { connectorId, jobId } = readSource(source);
    const connector = connectorId === null ? undefined : await findConnector(organizationId, connectorId);
    named.set(source, { connector_id: connectorId, connector_name: connector?.name ?? null, job_id: jobId });
  }
  return (source) => (source === undefined ? null : (named.get(source) ?? null));
}
