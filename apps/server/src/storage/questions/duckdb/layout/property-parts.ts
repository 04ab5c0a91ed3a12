import type { DynamicParts } from "@muster/query";
import { type ColumnProperty, columnOf, SEEN } from "./event-layout.js";
import { jsonPointer, quoteText } from "./quoting.js";

export const NULLS = { text: "cast(null as varchar)", number: "cast(null as double)" };

/** The SQL of an event property, read as each kind of value. A part is null in rows whose value is of another kind. */
export interface PropertyParts extends DynamicParts {
  /** A number or boolean as text. */
  readonly printed: string;
  readonly printedList: string;
}

export const NO_PARTS: PropertyParts = {
  text: NULLS.text,
  number: NULLS.number,
  boolean: "cast(null as boolean)",
  list: "cast(null as varchar[])",
  printed: NULLS.text,
  printedList: NULLS.text,
};

/** Whether an expression is null in every row, so that a condition on it can be left out. */
export function isNothing(sql: string): boolean {
  return Object.values(NO_PARTS).includes(sql);
}

/** The value as text, whatever its kind. */
export function anyText({ text, printed, printedList }: PropertyParts): string {
  const parts = [text, printed, printedList].filter((part) => !isNothing(part));
  return parts.length === 0 ? NULLS.text : `coalesce(${parts.join(", ")})`;
}

/** Reads a property from the JSON texts of its row. `of` takes the name of one of the texts and returns its SQL. */
export function readText(bag: string, name: string, of = (text: string) => `${bag}_${text}`): PropertyParts {
  const read = (text: string) => `json_extract_string(${of(text)}, ${quoteText(jsonPointer(name))})`;
  const printed = read("numbers");
  const printedList = read("lists");
  return {
    text: read("texts"),
    number: `try_cast(${printed} as double)`,
    boolean: `case ${printed} when 'true' then true when 'false' then false end`,
    list: `from_json(${printedList}, '["VARCHAR"]')`,
    printed,
    printedList,
  };
}

/**
 * Reads a property from its columns, and from the text what has no column: lists, and kinds of values that were seen for the
 * first time just now. Each row is the same as when it is read from the text.
 */
export function readColumns(property: ColumnProperty): PropertyParts {
  const { seen, places } = property;
  const text = readText(property.bag, property.name);
  const part = (kind: "text" | "number" | "boolean") => {
    if ((seen & SEEN[kind]) === 0) return NO_PARTS[kind];
    return places[kind] === undefined ? text[kind] : columnOf(property, kind).name;
  };
  const hasList = (seen & SEEN.list) !== 0;
  const parts = { text: part("text"), number: part("number"), boolean: part("boolean") };
  return {
    ...parts,
    list: hasList ? text.list : NO_PARTS.list,
    printed: printedOf(property, parts, text.printed),
    printedList: hasList ? text.printedList : NO_PARTS.printedList,
  };
}

function printedOf(
  { seen, places }: ColumnProperty,
  { number, boolean }: { number: string; boolean: string },
  text: string,
): string {
  const hasNumbers = (seen & SEEN.number) !== 0;
  const hasBooleans = (seen & SEEN.boolean) !== 0;
  const isOdd = (seen & SEEN.odd) !== 0;
  const lacksColumn = (hasNumbers && places.number === undefined) || (hasBooleans && places.boolean === undefined);
  if (isOdd || lacksColumn) return text;
  if (hasNumbers && hasBooleans) return `coalesce(${printNumber(number)}, cast(${boolean} as varchar))`;
  if (hasNumbers) return printNumber(number);
  return hasBooleans ? `cast(${boolean} as varchar)` : NO_PARTS.printed;
}

// JSON writes whole numbers without a point and a zero, unlike the engine.
const MOST_PLAIN = 1e15;
const LEAST_PLAIN = 1e-3;

/** The text of a number, as the JSON text has it, unless the number is odd. */
export function printNumber(sql: string): string {
  return `case when ${sql} = trunc(${sql}) and abs(${sql}) < ${MOST_PLAIN} then cast(cast(${sql} as bigint) as varchar) else cast(${sql} as varchar) end`;
}

/** Whether JSON may print a number otherwise than `printNumber`. */
export function isOdd(number: number): boolean {
  const size = Math.abs(number);
  return size >= MOST_PLAIN || (size < LEAST_PLAIN && size !== 0);
}
