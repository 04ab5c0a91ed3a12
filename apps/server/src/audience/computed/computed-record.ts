import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { computedNameProblem, computedNameProblemInWords } from "../../domain/computed/computed-name-problem.js";
import type { StoredComputed } from "../../storage/postgres/computed/computed-attributes.js";

export function computedRecord(stored: StoredComputed): ComputedAttribute {
  const { id, subjectType, name, description, compute, type, processed, total } = stored;
  const nameProblem = computedNameProblem(subjectType, name);
  const problem = nameProblem === undefined ? stored.problem : computedNameProblemInWords(name, nameProblem);
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
