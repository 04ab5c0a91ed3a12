import { EntryApplication, type Outcome } from "../../domain/entries/apply-entries.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { WorkingState } from "../../domain/entries/working-state.js";
import { Breather } from "../../runtime/breather.js";

/** Applies entries to a state in memory, with pauses in which other work runs. */
export async function applyWithPauses(entries: readonly Entry[], state: WorkingState): Promise<Outcome> {
  const application = new EntryApplication(state);
  const breather = new Breather();
  for (const entry of entries) {
    if (breather.isDue) await breather.pause();
    application.apply(entry);
  }
  return application.finish();
}
