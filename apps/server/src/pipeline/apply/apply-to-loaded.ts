import { EntryApplication, EntryFault, type Outcome } from "../../domain/apply/entry-application.js";
import type { WorkingState } from "../../domain/apply/working-state.js";
import type { Entry } from "../../domain/entries/entry.js";
import { Breather } from "../../runtime/loops/breather.js";

export interface AppliedEntries<State extends WorkingState> {
  state: State;
  outcome: Outcome;
  /** The entries that an error in our code has stopped. They have no effect, and are listed as rejected. */
  faults: readonly EntryFault[];
}

// Each fault costs another load. More of them in one micro-batch mean that smaller micro-batches are faster.
const MAX_FAULTS = 4;

/**
 * Applies entries to the state that `load` reads. When an error in our code stops an entry half way, the state is read
 * again and the other entries are applied to it, so that no half effect stays. With too many of these entries, the
 * last error is thrown.
 */
export async function applyToLoaded<State extends WorkingState>(
  load: () => Promise<State>,
  entries: readonly Entry[],
): Promise<AppliedEntries<State>> {
  const faults = new Map<Entry, EntryFault>();
  for (;;) {
    const state = await load();
    try {
      return { state, outcome: await applyEntries(entries, state, faults), faults: [...faults.values()] };
    } catch (error) {
      if (!(error instanceof EntryFault) || faults.size === MAX_FAULTS) throw error;
      faults.set(error.entry, error);
    }
  }
}

/** Applies entries to a state in memory, with pauses in which other work runs. */
async function applyEntries(
  entries: readonly Entry[],
  state: WorkingState,
  faults: ReadonlyMap<Entry, EntryFault>,
): Promise<Outcome> {
  const application = new EntryApplication(state);
  const breather = new Breather();
  for (const entry of entries) {
    if (breather.isDue) await breather.pause();
    const fault = faults.get(entry);
    if (fault) application.refuse(fault);
    else application.apply(entry);
  }
  return application.finish();
}
