import type { Refusal } from "@muster/protocol";

// Errors of DuckDB are known by their texts, those of ClickHouse by the code of MEMORY_LIMIT_EXCEEDED.
const TEXTS =
  /Out of Memory|Cannot allocate memory|failed to pin block|could not allocate block|bad allocation|max_temp_directory_size/i;
const CODES = new Set(["241"]);

/**
 * Whether a question was refused because the engine had no memory or space for it. A large question can be the reason
 * for that, and then it fails each time.
 */
export function lacksRoom(error: Refusal): boolean {
  const { cause } = error;
  if (!(cause instanceof Error)) return false;
  return TEXTS.test(cause.message) || ("code" in cause && CODES.has(String(cause.code)));
}
