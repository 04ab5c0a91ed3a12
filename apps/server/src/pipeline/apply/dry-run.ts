import type { Outcome } from "../../domain/apply/entry-application.js";
import type { WorkingState } from "../../domain/apply/working-state.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { Database } from "../../storage/postgres/database.js";
import { readApplyBasis } from "../../storage/postgres/ingest/apply-basis.js";
import type { ApplyRules } from "./apply-rules.js";
import { applyToLoaded } from "./apply-to-loaded.js";
import { loadWorkingState } from "./load-working-state.js";

export interface DryRun {
  state: WorkingState;
  outcome: Outcome;
}

/**
 * Applies entries to the stored state in memory and stores nothing: it shows what applying them would do. `defined` are
 * the attributes that earlier dry runs have defined, which are not stored either.
 */
export async function dryRun(
  database: Database,
  rules: ApplyRules,
  organizationId: string,
  entries: readonly Entry[],
  defined: Partial<Pick<WorkingState, "userAttributes" | "accountAttributes">> = {},
): Promise<DryRun> {
  return applyToLoaded(async () => {
    const stored = await database.transaction(async (tx) => {
      const basis = await readApplyBasis(tx, organizationId);
      if (!basis) throw new Error("The organization does not exist.");
      return loadWorkingState(tx, organizationId, entries, { rules, basis, receivedAt: Date.now });
    });
    return {
      ...stored,
      userAttributes: defined.userAttributes?.copy() ?? stored.userAttributes,
      accountAttributes: defined.accountAttributes?.copy() ?? stored.accountAttributes,
    };
  }, entries);
}
