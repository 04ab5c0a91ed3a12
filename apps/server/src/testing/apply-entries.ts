import { EntryApplication, type Outcome } from "../domain/apply/entry-application.js";
import type { WorkingState } from "../domain/apply/working-state.js";
import type { Entry } from "../domain/entries/entry.js";

/** Applies entries to a state in memory. */
export function applyEntries(entries: readonly Entry[], state: WorkingState): Outcome {
  const application = new EntryApplication(state);
  for (const entry of entries) application.apply(entry);
  return application.finish();
}
