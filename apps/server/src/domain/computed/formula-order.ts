/** A formula by the name of its attribute, and the names of the attributes that it reads. */
export interface NamedFormula {
  name: string;
  reads: readonly string[];
}

/** The formulas so that each comes after those that it reads; or the names of some that read one another in a circle. */
export function orderFormulas<Given extends NamedFormula>(
  formulas: readonly Given[],
): { order: Given[] } | { cycle: string[] } {
  const byName = new Map(formulas.map((formula) => [formula.name, formula]));
  const order: Given[] = [];
  const state = new Map<string, "open" | "done">();
  const path: string[] = [];

  const visit = (formula: Given): string[] | undefined => {
    const { name } = formula;
    if (state.get(name) === "done") return undefined;
    if (state.get(name) === "open") return [...path.slice(path.indexOf(name)), name];
    state.set(name, "open");
    path.push(name);
    for (const read of formula.reads) {
      const other = byName.get(read);
      const cycle = other && visit(other);
      if (cycle) return cycle;
    }
    path.pop();
    state.set(name, "done");
    order.push(formula);
    return undefined;
  };

  for (const formula of formulas) {
    const cycle = visit(formula);
    if (cycle) return { cycle };
  }
  return { order };
}
