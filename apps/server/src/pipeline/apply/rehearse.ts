import { applyEntries, type Outcome, type Workbench } from "../../domain/entries/apply-entries.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { ApplyOptions } from "./apply.js";
import { loadWorkbench } from "./load-workbench.js";

export interface Rehearsal {
  bench: Workbench;
  outcome: Outcome;
}

/**
 * Applies entries to what is stored now, and stores nothing: what would become of them. Attributes that an earlier
 * rehearsal has defined can be handed on, since none of them is stored either.
 */
export async function rehearse(
  options: ApplyOptions,
  organizationId: string,
  entries: readonly Entry[],
  defined: Partial<Pick<Workbench, "userAttributes" | "accountAttributes">> = {},
): Promise<Rehearsal> {
  const stored = await options.database.transaction((tx) => loadWorkbench(tx, organizationId, entries, options));
  const bench = { ...stored, ...defined };
  return { bench, outcome: applyEntries(entries, bench) };
}
