import type { SubjectType } from "@muster/protocol";
import { useCallback, useEffect, useState } from "react";
import { type Draft, draftOf, type StoredDraft } from "./draft.js";

/**
 * The code that a person works on. It is kept in this browser until it is saved on the server, so that closing the page
 * loses nothing.
 */
export function useDraft(connectorId: string, entity: SubjectType, saved: string | undefined): Draft & DraftActions {
  const key = `draft ${connectorId} ${entity}`;
  const [stored, setStored] = useState(() => read(key));
  useEffect(() => setStored(read(key)), [key]);
  const draft = draftOf(stored, saved);
  const { code: shown } = draft;
  const change = useCallback(
    (code: string) => {
      // The editor also tells of a text that it was given.
      if (code === shown) return;
      setStored((before) => {
        const next = { code, base: before?.base ?? saved ?? "" };
        localStorage.setItem(key, JSON.stringify(next));
        return next;
      });
    },
    [key, saved, shown],
  );
  const drop = useCallback(() => {
    localStorage.removeItem(key);
    setStored(undefined);
  }, [key]);
  return { ...draft, change, drop };
}

interface DraftActions {
  change: (code: string) => void;
  drop: () => void;
}

function read(key: string): StoredDraft | undefined {
  try {
    const { code, base } = JSON.parse(localStorage.getItem(key) ?? "") as Partial<StoredDraft>;
    return typeof code === "string" && typeof base === "string" ? { code, base } : undefined;
  } catch {
    return undefined;
  }
}
