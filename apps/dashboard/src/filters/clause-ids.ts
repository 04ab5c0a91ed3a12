const ids = new WeakMap<object, string>();
let last = 0;

/** A key for a clause that stays while it is edited. Clauses are plain JSON without ids of their own. */
export function clauseId(clause: object): string {
  const known = ids.get(clause);
  if (known !== undefined) return known;
  last += 1;
  const id = `clause-${last}`;
  ids.set(clause, id);
  return id;
}

/** Says that a clause is the edited form of another one. */
export function keepId<Clause extends object>(before: object, after: Clause): Clause {
  ids.set(after, clauseId(before));
  return after;
}
