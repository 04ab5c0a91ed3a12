import { isObject } from "@muster/protocol";
import type { OfferedOption } from "@muster/protocol/api/connectors";

/**
 * The options in an answer of `loadOptions`: `{options: [{value, label}]}`, groups `{label, options: […]}`, or plain
 * texts. Older connectors answer with the list alone. Entries that cannot be chosen are left out. Undefined when the
 * answer holds no list.
 */
export function readOfferedOptions(answer: unknown): OfferedOption[] | undefined {
  const list = isObject(answer) ? answer.options : answer;
  return Array.isArray(list) ? list.flatMap((entry: unknown) => optionsIn(entry, null, MAX_LEVELS)) : undefined;
}

// Groups within groups. A connector can nest them so deep that reading them would overflow the stack.
const MAX_LEVELS = 10;

function optionsIn(entry: unknown, group: string | null, levels: number): OfferedOption[] {
  if (isValue(entry)) return [{ value: entry, label: String(entry), group }];
  if (!isObject(entry)) return [];
  const { value, label, options } = entry;
  const own = isValue(value) ? [{ value, label: isValue(label) ? String(label) : String(value), group }] : [];
  if (!Array.isArray(options) || levels === 0) return own;
  const inside = isValue(label) ? String(label) : group;
  return [...own, ...options.flatMap((option: unknown) => optionsIn(option, inside, levels - 1))];
}

function isValue(value: unknown): value is OfferedOption["value"] {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
