import type { SubjectType } from "@muster/protocol";
import type { Entry } from "../entries/entry.js";
import { identifiersIn } from "../entries/identifiers-in.js";
import { identifierKey } from "../identity/identifiers.js";

/** When a subject was erased, in milliseconds. */
export interface ErasureTime {
  /** By the record of the erasure. */
  recordedAt: number;
  receivedAt: number;
}

export interface PastErasuresOptions {
  hash(text: string): string;
  /** By the hash of an id or identifier: when its last owner was erased. */
  known: ReadonlyMap<string, ErasureTime>;
  receivedAt(entry: Entry): number;
}

/**
 * The erasures that entries may be older than. An entry that was written before its subject was erased does not bring
 * the subject back: it may have waited in a file, in a slower lane of the log, or on a device that was offline.
 */
export class PastErasures {
  readonly #options: PastErasuresOptions;
  readonly #added = new Map<string, ErasureTime>();

  constructor(options: PastErasuresOptions) {
    this.#options = options;
  }

  /** Notes that an entry of this micro-batch erases a subject with these ids and keys of identifiers. */
  note(entry: Entry, subjectType: SubjectType, ids: readonly string[], identifierKeys: readonly string[]): void {
    const time = { recordedAt: entry.at, receivedAt: this.#options.receivedAt(entry) };
    for (const key of [...ids.map(idKey), ...identifierKeys]) {
      this.#added.set(this.#options.hash(`${subjectType} ${key}`), time);
    }
  }

  /**
   * The entry without erased subjects that it is older than: the same object when it has none, undefined when it is
   * about one of them.
   */
  withoutErased(entry: Entry): Entry | undefined {
    if (this.#options.known.size + this.#added.size === 0) return entry;
    const { user, account, ...rest } = entry;
    const isUserGone = this.#isErased("user", entry);
    const isAccountGone = this.#isErased("account", entry);
    if (!isUserGone && !isAccountGone) return entry;
    if (entry.subject === "user") return isUserGone || !user ? undefined : { ...rest, user };
    return isAccountGone || !account ? undefined : { ...rest, account };
  }

  /** The hashes to store. */
  added(): ReadonlyMap<string, ErasureTime> {
    return this.#added;
  }

  #isErased(subjectType: SubjectType, entry: Entry): boolean {
    return hashedKeys(subjectType, entry, this.#options.hash).some((hash) => {
      const erased = this.#added.get(hash) ?? this.#options.known.get(hash);
      return erased !== undefined && isOlder(entry, this.#options.receivedAt(entry), erased);
    });
  }
}

/** The hashes of everything by which an entry names users, or accounts. */
export function hashedKeys(subjectType: SubjectType, entry: Entry, hash: (text: string) => string): string[] {
  const { ids, identifiers } = identifiersIn(subjectType, entry);
  const keys = [...ids.map(idKey), ...identifiers.map(({ kind, value }) => identifierKey(kind, value))];
  return keys.map((key) => hash(`${subjectType} ${key}`));
}

/** The earliest of the times that say when an entry was written. */
export function writtenAt(entry: Entry, receivedAt: number): number {
  return Math.min(entry.at, entry.writtenAt ?? receivedAt);
}

function isOlder(entry: Entry, receivedAt: number, erased: ErasureTime): boolean {
  return entry.at < erased.recordedAt || (entry.writtenAt ?? receivedAt) < erased.receivedAt;
}

function idKey(id: string): string {
  return `id ${id}`;
}
