import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import type { StoredComputed } from "../../storage/postgres/computed/computed-attributes.js";

export function computedRecord(stored: StoredComputed): ComputedAttribute {
  const { id, subjectType, name, description, compute, type, problem, processed, total } = stored;
  const isFilled = stored.filledRevision === stored.revision;
  return {
    id,
    target: subjectType,
    name,
    description,
    compute,
    type,
    status: problem !== null ? "broken" : isFilled ? "ok" : "computing",
    error: problem,
    progress: isFilled || problem !== null ? null : { processed, total: Math.max(processed, total) },
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
    computed_at: (stored.lookedAt ?? stored.computedAt)?.toISOString() ?? null,
  };
}
