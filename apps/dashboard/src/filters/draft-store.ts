import type { DraftFilter } from "./draft-filter.js";
import type { FilterTarget } from "./filter-schema.js";

/** A segment that is being written and not saved yet. */
export interface StoredDraft {
  name: string;
  filter: DraftFilter;
}

/** Stands for the id in the address of a segment that does not exist yet. */
export const NEW_SEGMENT = "new";

/** The id of the draft of a segment that does not exist yet. */
export function newDraftId(target: FilterTarget): string {
  return `${NEW_SEGMENT}-${target}`;
}

const keyOf = (organization: string, id: string) => `segment-draft:${organization}:${id}`;

/** Keeps a draft while the browser tab is open, so that going elsewhere and back loses nothing. */
export function storeDraft(organization: string, id: string, draft: StoredDraft | undefined): void {
  if (draft) sessionStorage.setItem(keyOf(organization, id), JSON.stringify(draft));
  else sessionStorage.removeItem(keyOf(organization, id));
}

export function readDraft(organization: string, id: string): StoredDraft | undefined {
  const text = sessionStorage.getItem(keyOf(organization, id));
  // Only `storeDraft` writes under this key.
  return text === null ? undefined : (JSON.parse(text) as StoredDraft);
}
