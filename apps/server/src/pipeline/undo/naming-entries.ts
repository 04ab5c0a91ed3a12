import type { AccountClaims, SubjectType, UserClaims } from "@muster/protocol";
import type { Entry } from "../../domain/entries/entry.js";
import { decidedOrigin } from "../../domain/events/undecided-origin.js";
import { identifiersOf } from "../../domain/identity/identifier-owners.js";
import type { SubjectNotes } from "../../domain/undo/undo-notes.js";
import { parseProfile } from "../../storage/postgres/profiles/stored-profile.js";
import type { UndoStep } from "./undo-step.js";

/** Entries that are never applied: they name everybody whose state a page of an undo needs, and so it is loaded. */
export function naming(steps: readonly UndoStep[]): Entry[] {
  const entries: Entry[] = [];
  const at = Date.now();
  const name = (subject: SubjectType, claims: UserClaims | AccountClaims) => {
    const common = { type: "traits", at, connectorId: "", create: false, active: false, body: {} } as const;
    entries.push({ ...common, subject, [subject]: claims });
  };
  const users = new Set<string>();
  for (const step of steps) {
    if (!("notes" in step)) {
      users.add(step.event.user_id);
      users.add(decidedOrigin(step.event.origin_id));
      continue;
    }
    const { subjectType, id, notes } = step;
    name(subjectType, { id });
    for (const accountId of accountsIn(notes)) name("account", { id: accountId });
    for (const [kind, value] of notes.taken ?? []) name(subjectType, { [kind]: value });
    if (notes.removed === undefined) continue;
    const removed = parseProfile(subjectType, id, JSON.parse(notes.removed));
    for (const { kind, value } of identifiersOf(removed)) name(subjectType, { [kind]: value });
    if (removed.accountId !== undefined) name("account", { id: removed.accountId });
  }
  for (const id of users) if (id !== "") name("user", { id });
  return entries;
}

function accountsIn({ link }: SubjectNotes): string[] {
  return (link ?? []).flatMap(([accountId]) => accountId ?? []);
}
