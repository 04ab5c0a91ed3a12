import type { SubjectType } from "@muster/protocol";

/** Some subjects of one kind, each with the ids of the attributes that are to be computed for it. */
export interface DuePage {
  subjectType: SubjectType;
  due: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The subjects whose values may have changed, with the attributes that are to be computed for each. */
export class DueSubjects {
  readonly #due = { user: new Map<string, Set<string>>(), account: new Map<string, Set<string>>() };

  get size(): number {
    return this.#due.user.size + this.#due.account.size;
  }

  add(subjectType: SubjectType, id: string, computed: readonly { id: string }[]): void {
    if (computed.length === 0) return;
    const known = this.#due[subjectType].get(id);
    if (known) for (const one of computed) known.add(one.id);
    else this.#due[subjectType].set(id, new Set(computed.map((one) => one.id)));
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#due.user.delete(id);
      this.#due.account.delete(id);
    }
  }

  /** The first subjects of one kind, users before accounts. */
  first(limit: number): DuePage {
    const subjectType = this.#due.user.size > 0 ? "user" : "account";
    const page = new Map<string, ReadonlySet<string>>();
    for (const [id, computed] of this.#due[subjectType]) {
      if (page.size >= limit) break;
      page.set(id, computed);
    }
    return { subjectType, due: page };
  }
}
