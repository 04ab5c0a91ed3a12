import { useSyncExternalStore } from "react";
import { type DraftFilter, filterBody } from "./draft-filter.js";
import type { FilterTarget } from "./filter-schema.js";

/** A segment that is being written and not saved yet. */
export interface StoredDraft {
  name: string;
  filter: DraftFilter;
  /** What was typed as the JSON of the filter and cannot be read. It must be corrected before the segment is saved. */
  unreadText?: string;
}

/** Stands for the id in the address of a segment that does not exist yet. */
export const NEW_SEGMENT = "new";

/** The id of the draft of a segment that does not exist yet. Each draft that is made of something else has its own number. */
export function newDraftId(target: FilterTarget, number = ""): string {
  return [NEW_SEGMENT, target, ...(number === "" ? [] : [number])].join("-");
}

/** The number of a draft that no other has. */
export function newDraftNumber(): string {
  return crypto.randomUUID().slice(0, 8);
}

const keyOf = (organization: string, id: string) => `segment-draft:${organization}:${id}`;

/** Drafts as they are on the screen, by their key. Clauses that have no value yet are in them, and not in the storage. */
const shown = new Map<string, StoredDraft | undefined>();
const listeners = new Set<() => void>();

/** Keeps a draft while the browser tab is open, so that going elsewhere and back loses nothing. */
export function storeDraft(organization: string, id: string, draft: StoredDraft | undefined): void {
  const key = keyOf(organization, id);
  shown.set(key, draft);
  if (draft) sessionStorage.setItem(key, JSON.stringify({ ...draft, filter: withoutIncomplete(draft.filter) }));
  else sessionStorage.removeItem(key);
  for (const listener of listeners) listener();
}

function readDraft(key: string): StoredDraft | undefined {
  if (!shown.has(key)) {
    const text = sessionStorage.getItem(key);
    // Only `storeDraft` writes under this key.
    shown.set(key, text === null ? undefined : (JSON.parse(text) as StoredDraft));
  }
  return shown.get(key);
}

/** The draft with an id. Whoever stores another one changes every screen that shows it. */
export function useStoredDraft(organization: string, id: string): StoredDraft | undefined {
  return useSyncExternalStore(subscribe, () => readDraft(keyOf(organization, id)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function withoutIncomplete(filter: DraftFilter): DraftFilter {
  return filter.kind === "query" ? filter : { kind: "predicate", predicate: filterBody(filter).predicate };
}
