/** Code that is not saved yet, and the saved code that it was made from. */
export interface StoredDraft {
  code: string;
  base: string;
}

export interface Draft {
  code: string;
  /** The code differs from what is saved. */
  isChanged: boolean;
  /** Somebody else has saved other code since the draft was begun. */
  isBehind: boolean;
}

export function draftOf(stored: StoredDraft | undefined, saved: string | undefined): Draft {
  if (!stored || saved === undefined) return { code: stored?.code ?? saved ?? "", isChanged: false, isBehind: false };
  const isChanged = stored.code !== saved;
  return { code: stored.code, isChanged, isBehind: isChanged && stored.base !== saved };
}
