import type { AttributeValue } from "../attributes/attribute-values.js";
import type { Formula } from "./formula.js";
import { MAX_COST, Weights } from "./formula-cost.js";

/** Formulas that cost less are not counted, such as three comparisons of numbers: a hundred of them are one budget together. */
const CHEAP = MAX_COST / 100;

/**
 * What the formulas of one subject may cost together. It is spent in their order, also for those that are not evaluated this
 * time: whether a formula has a value must not depend on what else has changed.
 */
export class FormulaBudget {
  readonly weights = new Weights();
  readonly #formulas: readonly { formula: Formula }[];
  #spent = 0;
  #counted = 0;

  constructor(formulas: readonly { formula: Formula }[]) {
    this.#formulas = formulas;
  }

  /** Whether a formula takes a part of the budget with these values. */
  counts(place: number, values: ReadonlyMap<string, AttributeValue>): boolean {
    return this.#costAt(place, values) > CHEAP;
  }

  /** Whether a formula fits beside those before it. Must be asked in their order, with the values that these have given. */
  allows(place: number, values: ReadonlyMap<string, AttributeValue>): boolean {
    const cost = this.#costAt(place, values);
    if (cost <= CHEAP) return true;
    while (this.#counted < place) {
      const before = this.#costAt(this.#counted++, values);
      if (before > CHEAP && this.#fits(before)) this.#spent += before;
    }
    return this.#fits(cost);
  }

  #costAt(place: number, values: ReadonlyMap<string, AttributeValue>): number {
    return this.#formulas[place]?.formula.costWith(values, this.weights) ?? 0;
  }

  #fits(cost: number): boolean {
    return this.#spent + cost <= MAX_COST;
  }
}
