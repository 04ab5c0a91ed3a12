import type { Writer } from "@muster/protocol/api/history";

/** Who wrote a value, in words. `null`: it was not kept. */
export function writerName(writer: Writer | null): string {
  if (!writer) return "unknown: it was not kept";
  const { connector_id, connector_name, job_id, member_id, member_name, computed_id } = writer;
  if (computed_id) return "Muster, which computes it";
  if (member_id) return `hand, by ${member_name ?? "a member who was removed"}`;
  const who = connector_id === null ? "the operator" : (connector_name ?? "a connector that was removed");
  return job_id === null ? who : `an import of ${who}`;
}
