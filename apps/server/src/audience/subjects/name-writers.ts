import type { Writer as WriterRecord } from "@muster/protocol/api/history";
import { readSource } from "../../domain/profiles/written-by.js";
import type { FindWriter } from "./find-writer.js";

/** Finds the names of the connectors and members in the sources of values. Returns who each source is. */
export async function nameWriters(
  { findConnector, findMember }: FindWriter,
  organizationId: string,
  sources: Iterable<string | undefined>,
): Promise<(source: string | undefined) => WriterRecord | null> {
  const named = new Map<string, WriterRecord>();
  for (const source of new Set(sources)) {
    if (source === undefined) continue;
    const { connectorId, jobId, memberId, computedId } = readSource(source);
    const connector = connectorId === null ? undefined : await findConnector(organizationId, connectorId);
    const member = memberId === null ? undefined : await findMember(memberId);
    named.set(source, {
      connector_id: connectorId,
      connector_name: connector?.name ?? null,
      job_id: jobId,
      ...(memberId === null ? {} : { member_id: memberId, member_name: member ? member.name || member.email : null }),
      ...(computedId === null ? {} : { computed_id: computedId }),
    });
  }
  return (source) => (source === undefined ? null : (named.get(source) ?? null));
}
