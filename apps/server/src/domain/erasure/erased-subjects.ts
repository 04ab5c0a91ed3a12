import { type SubjectType, typeOfId } from "@muster/protocol";
import type { Entry } from "../entries/entry.js";
import { identifiersIn } from "../entries/identifiers-in.js";
import { identifierKey } from "../identity/identifiers.js";

/** An erased subject that the logs may still contain. */
export interface ErasedSubject {
  id: string;
  /** In the form that `identifierKey` returns. */
  identifiers: readonly string[];
  erasedAt: Date;
}

/**
 * A set of erased subjects that finds the logged entries about them. After an erasure, somebody new may have one of
 * their identifiers; entries about the new subject do not match.
 */
export class ErasedSubjects {
  readonly ids: ReadonlySet<string>;
  /** By subject type and identifier: when the last subject that had the identifier was erased. */
  readonly #erasedAt = new Map<string, number>();

  constructor(subjects: readonly ErasedSubject[]) {
    this.ids = new Set(subjects.map(({ id }) => id));
    for (const { id, identifiers, erasedAt } of subjects) {
      for (const identifier of identifiers) {
        const key = `${typeOfId(id)} ${identifier}`;
        this.#erasedAt.set(key, Math.max(this.#erasedAt.get(key) ?? 0, erasedAt.getTime()));
      }
    }
  }

  /** Whether an entry that was received at the given time is about one of these subjects. */
  areNamedIn(entry: Entry, receivedAt: Date): boolean {
    return this.#areClaimed("user", entry, receivedAt) || this.#areClaimed("account", entry, receivedAt);
  }

  #areClaimed(subjectType: SubjectType, entry: Entry, receivedAt: Date): boolean {
    const { ids, identifiers } = identifiersIn(subjectType, entry);
    if (ids.some((id) => this.ids.has(id))) return true;
    return identifiers.some(({ kind, value }) => {
      const erasedAt = this.#erasedAt.get(`${subjectType} ${identifierKey(kind, value)}`);
      return erasedAt !== undefined && receivedAt.getTime() <= erasedAt;
    });
  }
}
