import type { AttributeValue } from "../attributes/attribute-values.js";
import type { FormulaShape } from "./formula-shape.js";

/**
 * What a formula may cost, and what all formulas of one subject may cost together: a list of 10,000 short texts in `exists`, or
 * twenty operations on a text of 64 KiB. Takes two to four milliseconds of processor time.
 */
export const MAX_COST = 4_000_000;
const SCALAR = 8;
/** The least that an element of a list costs: one that is compared takes as long as so many characters. */
const ELEMENT = 16;
/** What one step of a loop costs, in characters that could be compared in the same time. */
const STEP = 50;
/** What an error costs after which the evaluation goes on: the library describes it, with the place in the text. */
const ERROR = 8_000;
/** V8 searches for longer texts by comparing all of them at each place, in the worst case. */
const QUICK_SEARCH = 250;

/** The size of a value in characters, the length of its longest list, and the size of the largest element of a list. */
interface Weight {
  size: number;
  longest: number;
  largest: number;
  /** A list of texts, or nothing that could be a list of something else. */
  isOfTexts: boolean;
}

/** Weighs values. It remembers lists and objects: the formulas of a subject read the same ones, and a long list takes long. */
export class Weights {
  readonly #known = new Map<object, Weight>();

  of(value: unknown): Weight {
    if (typeof value !== "object" || value === null) return scalar(value);
    const known = this.#known.get(value) ?? weigh(value);
    this.#known.set(value, known);
    return known;
  }
}

/** What a formula costs at most with these values, in time and in memory. It follows from their sizes. */
export function costOf(
  { reads, nodes, growth, loops, searches, errors: outside }: FormulaShape,
  textLength: number,
  values: ReadonlyMap<string, AttributeValue>,
  weights: Weights,
): number {
  const all: Weight = { size: textLength, longest: 1, largest: SCALAR, isOfTexts: true };
  const sizes = new Map<string, number>();
  for (const name of reads) {
    const weight = weights.of(values.get(name));
    sizes.set(name, weight.size);
    all.size += weight.size;
    all.longest = Math.max(all.longest, weight.longest);
    all.largest = Math.max(all.largest, weight.largest);
    all.isOfTexts &&= weight.isOfTexts;
  }
  let failed = outside;
  let made = all.size;
  for (const { rangeNodes, hasLiteral, bodyGrowth, bodyReads, errors } of loops) {
    const inBody = bodyReads.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    const element = (hasLiteral ? all.size : all.largest) + inBody + STEP;
    made += rangeNodes * all.longest * (bodyGrowth + 1) * element;
    const thrown = all.isOfTexts && !hasLiteral ? errors.ofText : errors.ofOther;
    failed += rangeNodes * all.longest * thrown;
  }
  let compared = 0;
  for (const search of searches) {
    const sought = search.reads.reduce((sum, name) => sum + (sizes.get(name) ?? 0), search.literals);
    const longest = search.nodes * (search.inLoop ? sought + all.largest : sought);
    if (longest > QUICK_SEARCH) compared += made * longest;
  }
  return nodes * (growth + 1) * made + compared + failed * ERROR;
}

function scalar(value: unknown): Weight {
  return { size: typeof value === "string" ? value.length : SCALAR, longest: 1, largest: SCALAR, isOfTexts: true };
}

function weigh(value: object): Weight {
  const isList = Array.isArray(value);
  const elements: unknown[] = isList ? value : Object.values(value);
  const longest = Math.max(1, elements.length);
  const weight: Weight = { size: SCALAR, longest, largest: SCALAR, isOfTexts: isList };
  for (const element of elements) {
    if (typeof element !== "string") weight.isOfTexts = false;
    if (typeof element === "object" && element !== null) {
      const inner = weigh(element);
      weight.size += inner.size;
      weight.longest = Math.max(weight.longest, inner.longest);
      weight.largest = Math.max(weight.largest, inner.size, inner.largest);
    } else {
      const size = typeof element === "string" ? element.length : SCALAR;
      weight.size += Math.max(size, ELEMENT);
      weight.largest = Math.max(weight.largest, size);
    }
  }
  if (isList) return weight;
  for (const key of Object.keys(value)) {
    weight.size += key.length;
    weight.largest = Math.max(weight.largest, key.length);
  }
  return weight;
}
