import type { Choice, ChoiceValue } from "./read-setting.js";

/** An entry of a list, in the form of the list component: its values are texts. */
export interface ListEntry {
  value: string;
  label: string;
}
export interface ListGroup {
  group: string;
  items: ListEntry[];
}

/** Values as texts and back. A number and the same number as text stand for one entry: authors mix them. */
export function keyOf(value: ChoiceValue): string {
  return String(value);
}

export function choiceOf(key: string, choices: readonly Choice[]): ChoiceValue {
  return choices.find(({ value }) => keyOf(value) === key)?.value ?? key;
}

/**
 * The entries of a list: the choices, then values that are chosen and not among them, so that they stay. A typed text that is
 * no choice is offered at the end when it may be created.
 */
export function listData(
  choices: readonly Choice[],
  chosen: readonly ChoiceValue[],
  typed: string | undefined,
): (ListEntry | ListGroup)[] {
  const known = new Set<string>();
  const plain: ListEntry[] = [];
  const groups = new Map<string, ListEntry[]>();
  for (const { value, label, group } of choices) {
    const entry = { value: keyOf(value), label };
    if (known.has(entry.value)) continue;
    known.add(entry.value);
    if (group === undefined) plain.push(entry);
    else groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  const kept = [...new Set(chosen.map(keyOf))].filter((key) => key !== "" && !known.has(key));
  const text = typed?.trim() ?? "";
  const isNew = text !== "" && !known.has(text) && !kept.includes(text);
  return [
    ...plain,
    ...[...groups].map(([group, items]) => ({ group, items })),
    ...kept.map((key) => ({ value: key, label: key })),
    ...(isNew ? [{ value: text, label: `Use “${text}”` }] : []),
  ];
}
