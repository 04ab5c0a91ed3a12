import { isDeepStrictEqual } from "node:util";
import { isObject } from "@muster/protocol";
import { bounded, masked } from "./masked.js";

/** Fields that change with every write and say nothing. */
const NOT_TOLD = new Set(["updated_at", "indexed_at"]);

/**
 * The fields of an object that a change has changed, as they were and as they became, without secrets. A secret that has
 * changed is in both, masked.
 */
export function changedFields(before: unknown, after: unknown): { before?: unknown; after?: unknown } {
  const [from, to] = differences(before, after);
  return {
    ...(from === undefined ? {} : { before: bounded(masked(from)) }),
    ...(to === undefined ? {} : { after: bounded(masked(to)) }),
  };
}

function differences(before: unknown, after: unknown): [unknown, unknown] {
  if (!isObject(before) || !isObject(after)) return [before, after];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !NOT_TOLD.has(name) && !isDeepStrictEqual(before[name], after[name]));
  const pairs = changed.map((name) => [name, differences(before[name], after[name])] as const);
  const side = (index: 0 | 1) =>
    Object.fromEntries(
      pairs.filter(([, pair]) => pair[index] !== undefined).map(([name, pair]) => [name, pair[index]]),
    );
  return [side(0), side(1)];
}
