import { Refusal } from "@muster/protocol";
import type { SegmentDefinition, SegmentVolume } from "../../storage/postgres/segments/segments.js";

/** Bytes of the query and the predicate of a segment, as JSON. A list of 10,000 texts must have room in both. */
export const MAX_DEFINITION_BYTES = 1_048_576;

/** Bytes of the definitions of all segments of an organization, which a server reads together. */
export const MAX_DEFINITIONS_BYTES = 32 * 1_048_576;

/** About how many bytes a definition takes. */
export function bytesOf({ query, predicate }: Pick<SegmentDefinition, "query" | "predicate">): number {
  return Buffer.byteLength(JSON.stringify(query)) + Buffer.byteLength(JSON.stringify(predicate));
}

/** Refuses a definition that is too large for itself. */
export function requireSmall(definition: SegmentDefinition): void {
  if (bytesOf(definition) <= MAX_DEFINITION_BYTES) return;
  throw new Refusal(
    "invalid_query",
    `The query and the predicate of a segment have at most ${MAX_DEFINITION_BYTES} bytes together. Mark the users with an attribute, and ask for that.`,
  );
}

/** Refuses a definition that has no room beside the others of its organization. */
export function requireRoom(definition: SegmentDefinition, others: SegmentVolume): void {
  if (others.bytes + bytesOf(definition) <= MAX_DEFINITIONS_BYTES) return;
  throw new Refusal(
    "conflict",
    `The queries and predicates of all segments of an organization have at most ${MAX_DEFINITIONS_BYTES} bytes together.`,
  );
}
