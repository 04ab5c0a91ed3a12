import type { Entry } from "../domain/entries/entry.js";
import { EntryApplication, type Outcome } from "../domain/entries/entry-application.js";
import type { WorkingState } from "../domain/entries/working-state.js";

/** Applies entries to a state in memory. */
export function applyEntries(entries: readonly Entry[], state: WorkingState): Outcome {
  const application = new EntryApplication(state);
  for (const entry of entries) application.apply(entry);
  return application.finish();
}
