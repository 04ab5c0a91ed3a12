import { isObject } from "@muster/protocol";
import { storedElements, storedText } from "@muster/query";
import type { ColumnProperty } from "../layout/event-layout.js";

/** The properties of an event, divided by type into JSON objects of one level; null when there is none of a type. */
export interface SeparateProperties {
  texts: string | null;
  numbers: string | null;
  lists: string | null;
  /** The values of properties that have columns. */
  inColumns: readonly ColumnValue[];
}

export type ColumnValue =
  | { property: ColumnProperty; kind: "text"; value: string }
  | { property: ColumnProperty; kind: "number"; value: number }
  | { property: ColumnProperty; kind: "boolean"; value: boolean }
  | { property: ColumnProperty; kind: "list" };

type Bag = Readonly<Record<string, unknown>>;

/** What is collected while properties are divided. */
interface Collected {
  texts: string;
  numbers: string;
  lists: string;
  readonly inColumns: ColumnValue[];
  /** The properties that have columns, by name. */
  readonly written: ReadonlyMap<string, ColumnProperty> | undefined;
}

/**
 * Divides properties. The members are serialised one by one, because a JavaScript object would lose the name `__proto__`.
 * `{a: {b: 1}}` and `{"a.b": 1}` are the same property. If both occur, the first is kept.
 */
export function separateProperties(properties: Bag, written?: ReadonlyMap<string, ColumnProperty>): SeparateProperties {
  const collected: Collected = { texts: "", numbers: "", lists: "", inColumns: [], written };
  // Without objects inside, no name can occur twice.
  const known = Object.values(properties).some(isObject) ? new Set<string>() : undefined;
  collect(properties, "", collected, known);
  const { texts, numbers, lists, inColumns } = collected;
  return { texts: closed(texts), numbers: closed(numbers), lists: closed(lists), inColumns };
}

function collect(bag: Bag, prefix: string, collected: Collected, known: Set<string> | undefined): void {
  for (const key of Object.keys(bag)) {
    const name = prefix + key;
    const value = bag[key];
    if (isObject(value)) {
      collect(value, `${name}.`, collected, known);
      continue;
    }
    if (name === "" || known?.has(name)) continue;
    if (typeof value === "string") {
      const text = storedText(value);
      collected.texts += member(name, text);
      if (collected.written) putInColumn(name, "text", text, collected);
    } else if (typeof value === "number" && Number.isFinite(value)) {
      collected.numbers += member(name, value);
      // JSON has no -0.
      if (collected.written) putInColumn(name, "number", value === 0 ? 0 : value, collected);
    } else if (typeof value === "boolean") {
      collected.numbers += member(name, value);
      if (collected.written) putInColumn(name, "boolean", value, collected);
    } else if (Array.isArray(value)) {
      const elements = storedElements(value);
      if (elements.length === 0) continue;
      collected.lists += member(name, elements);
      if (collected.written) putInColumn(name, "list", undefined, collected);
    } else continue;
    known?.add(name);
  }
}

/**
 * Two names with different halves of surrogate pairs are stored as one name, which then has two values in the text. As in the
 * text, the first of those with the same kind is read.
 */
function putInColumn(name: string, kind: ColumnValue["kind"], value: unknown, { written, inColumns }: Collected): void {
  const property = written?.get(storedText(name));
  if (property === undefined) return;
  const isSame = (other: ColumnValue) => other.property === property && textOf(other.kind) === textOf(kind);
  if (inColumns.some(isSame)) return;
  // The caller has looked at the type of the value.
  inColumns.push({ property, kind, value } as ColumnValue);
}

/** Numbers and booleans share one text. */
function textOf(kind: ColumnValue["kind"]): string {
  return kind === "boolean" ? "number" : kind;
}

function member(name: string, value: unknown): string {
  return `,${JSON.stringify(storedText(name))}:${JSON.stringify(value)}`;
}

function closed(members: string): string | null {
  return members === "" ? null : `{${members.slice(1)}}`;
}
