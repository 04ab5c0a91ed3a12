import { type SubjectType, typeOfId } from "@muster/protocol";
import type { Entry } from "../entries/entry.js";
import { claimedIdentifiers, identifierKey } from "./identifiers.js";

/** An erased subject, as the logs may still know it. */
export interface ErasedSubject {
  id: string;
  /** As `identifierKey` prints them. */
  identifiers: readonly string[];
  erasedAt: Date;
}

/** What tells the entries of erased subjects from those of others, also of somebody who has an identifier of theirs now. */
export class Traces {
  readonly ids: ReadonlySet<string>;
  readonly #lastOf = new Map<string, number>();

  constructor(subjects: readonly ErasedSubject[]) {
    this.ids = new Set(subjects.map(({ id }) => id));
    for (const { id, identifiers, erasedAt } of subjects) {
      for (const identifier of identifiers) {
        const key = `${typeOfId(id)} ${identifier}`;
        this.#lastOf.set(key, Math.max(this.#lastOf.get(key) ?? 0, erasedAt.getTime()));
      }
    }
  }

  /** Whether an entry that was received at a time is about one of the subjects. */
  lead(entry: Entry, receivedAt: Date): boolean {
    return this.#match("user", entry, receivedAt) || this.#match("account", entry, receivedAt);
  }

  #match(kind: SubjectType, entry: Entry, receivedAt: Date): boolean {
    const claims = entry[kind];
    if (!claims) return false;
    if (claims.id !== undefined && this.ids.has(claims.id)) return true;
    return claimedIdentifiers(kind, claims).some((identifier) => {
      const last = this.#lastOf.get(`${kind} ${identifierKey(identifier.kind, identifier.value)}`);
      return last !== undefined && receivedAt.getTime() <= last;
    });
  }
}
