import type { AttributeValue } from "../attributes/attribute-values.js";
import type { FormulaShape } from "./formula-shape.js";

/** A list of 10,000 short texts in `exists`, or twenty operations on a text of 64 KiB. Takes some milliseconds. */
const MAX_COST = 4_000_000;
const SCALAR = 8;
/** What one step of a loop costs, in characters that could be compared in the same time. */
const STEP = 50;
/** V8 searches for longer texts by comparing all of them at each place, in the worst case. */
const QUICK_SEARCH = 250;

interface Weight {
  size: number;
  longest: number;
  largest: number;
}

/** Whether a formula would take too long, or too much memory, with these values. An upper bound, from their sizes. */
export function isTooCostly(
  { reads, nodes, growth, loops, searches }: FormulaShape,
  textLength: number,
  values: ReadonlyMap<string, AttributeValue>,
): boolean {
  const all: Weight = { size: textLength, longest: 1, largest: SCALAR };
  const sizes = new Map<string, number>();
  for (const name of reads) {
    const weight = weigh(values.get(name));
    sizes.set(name, weight.size);
    all.size += weight.size;
    all.longest = Math.max(all.longest, weight.longest);
    all.largest = Math.max(all.largest, weight.largest);
  }
  let made = all.size;
  for (const { rangeNodes, hasLiteral, bodyGrowth, bodyReads } of loops) {
    const inBody = bodyReads.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    const element = (hasLiteral ? all.size : all.largest) + inBody + STEP;
    made += rangeNodes * all.longest * (bodyGrowth + 1) * element;
  }
  let compared = 0;
  for (const search of searches) {
    const sought = search.reads.reduce((sum, name) => sum + (sizes.get(name) ?? 0), search.literals);
    const longest = search.nodes * (search.inLoop ? sought + all.largest : sought);
    if (longest > QUICK_SEARCH) compared += made * longest;
  }
  return nodes * (growth + 1) * made + compared > MAX_COST;
}

/** The size of a value in characters, the length of its longest list, and the size of the largest element of a list. */
function weigh(value: unknown): Weight {
  if (typeof value === "string") return { size: value.length, longest: 1, largest: SCALAR };
  if (typeof value !== "object" || value === null) return { size: SCALAR, longest: 1, largest: SCALAR };
  const weight: Weight = { size: SCALAR, longest: 1, largest: SCALAR };
  const isList = Array.isArray(value);
  const elements: unknown[] = isList ? value : Object.values(value);
  weight.longest = Math.max(1, elements.length);
  for (const element of elements) {
    const inner = weigh(element);
    weight.size += inner.size;
    weight.longest = Math.max(weight.longest, inner.longest);
    weight.largest = Math.max(weight.largest, inner.size, inner.largest);
  }
  if (isList) return weight;
  for (const key of Object.keys(value)) {
    weight.size += key.length;
    weight.largest = Math.max(weight.largest, key.length);
  }
  return weight;
}
