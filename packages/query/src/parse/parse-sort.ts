import { isObject } from "@muster/protocol";
import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SortKey } from "../sort-key.js";
import type { ParseOptions } from "./parse.js";
import { parseField } from "./parse-field.js";
import { objectAt, oneOf, refuseUnknown } from "./reader.js";

/** Sorting by these has no effect: nothing is scored, and rows have no natural order. */
const WITHOUT_EFFECT = ["_score", "_doc"];

/**
 * Reads `{created_at: "desc"}`, `{mrr: {order: "asc", missing: "_first"}}`, `"name"`, or a list of those.
 *
 * @throws QueryError
 */
export function parseSort(input: unknown, options: ParseOptions): readonly SortKey[] {
  const path = options.path ?? "sort";
  const entries = Array.isArray(input)
    ? input.flatMap((entry, index) => entriesIn(entry, `${path}.${index}`))
    : entriesIn(input, path);
  const keys = entries
    .filter(([name]) => !WITHOUT_EFFECT.includes(name))
    .map(([name, order, at]) => sortKey(name, order, at, options));
  if (keys.length > LIMITS.sortKeys) throw new QueryError(path, `expected at most ${LIMITS.sortKeys} fields`);
  return Object.freeze(keys);
}

function entriesIn(input: unknown, path: string): [name: string, order: unknown, path: string][] {
  if (typeof input === "string") return [[input, "asc", path]];
  return Object.entries(objectAt(input, path)).map(([name, order]) => [name, order, `${path}.${name}`]);
}

function sortKey(name: string, input: unknown, path: string, options: ParseOptions): SortKey {
  const { order = "asc", missing = "_last" } = isObject(input) ? input : { order: input };
  // `unmapped_type` and the older `ignore_unmapped` allow unknown fields, which are always allowed here.
  if (isObject(input)) refuseUnknown(input, path, ["order", "missing", "unmapped_type", "ignore_unmapped"]);
  return Object.freeze({
    path,
    field: Object.freeze(parseField(name, path, options.target)),
    descending: oneOf(typeof order === "string" ? order.toLowerCase() : order, path, ["asc", "desc"]) === "desc",
    missingFirst: oneOf(missing, `${path}.missing`, ["_last", "_first"]) === "_first",
  });
}
