import { isObject } from "@muster/protocol";
import { EVENT_COLUMNS, IDENTIFIER_COLUMNS } from "@muster/protocol/api/file-fields";
import type { ImportColumn } from "@muster/protocol/api/imports";
import { convertCell, TYPE_WORDS } from "./convert-cell.js";
import { type JobObject, subjectTypeOf } from "./job.js";

/** How a column of an import file is imported: its name and type are filled in. */
export type ColumnMapping = ImportColumn & Required<Pick<ImportColumn, "name" | "type">>;

type Json = Record<string, unknown>;

/** Objects inside a record whose fields are columns too, as `traits.plan`. */
const NESTED = ["traits", "attributes", "properties"];

/** Turns the columns of a record into a record that an import reads. */
export class MappedColumns {
  readonly #isEvent: boolean;
  readonly #columns: readonly ColumnMapping[];

  constructor(object: JobObject, columns: readonly ColumnMapping[]) {
    this.#isEvent = object === "events";
    this.#columns = columns.filter(({ to }) => to !== "ignore");
  }

  /** The record, or a sentence that says which column cannot be read. Empty cells are left out. */
  read(given: Json): Json | string {
    const record: Json = {};
    const values: Json = {};
    for (const { column, value, to, name, type } of this.#columns) {
      const cell = column === undefined ? value : columnOf(given, column);
      if (cell === undefined || (typeof cell === "string" && cell.trim() === "")) continue;
      if (to === "identifier") addIdentifier(record, name, cell);
      else if (cell === null) values[name] = null;
      else if (to === "field") record[name] = typeof cell === "string" ? cell.trim() : cell;
      else {
        const converted = convertCell(cell, type);
        if (!converted) return `The column "${column ?? name}" is not ${TYPE_WORDS[type]}.`;
        values[name] = converted.value;
      }
    }
    record[this.#isEvent ? "properties" : "traits"] = values;
    return record;
  }
}

/** The reason why a mapping cannot be used; undefined when it can. */
export function mappingProblem(object: JobObject, columns: readonly ColumnMapping[]): string | undefined {
  const isEvent = object === "events";
  const subjectType = subjectTypeOf(object);
  const taken = new Set<string>();
  for (const { to, name } of columns) {
    if (to === "ignore") continue;
    if (name === "") return "A column that is not ignored needs a name.";
    if (to === "identifier" && !IDENTIFIER_COLUMNS[object].includes(name)) {
      return `"${name}" is no identifier: use one of ${IDENTIFIER_COLUMNS[object].join(", ")}.`;
    }
    if (to === "field" && !(isEvent && EVENT_COLUMNS.includes(name))) {
      return `"${name}" is no field: events have ${EVENT_COLUMNS.join(", ")}.`;
    }
    if (isEvent ? to === "attribute" : to === "property") {
      return `Columns of ${object} become ${isEvent ? "properties" : "attributes"}, not ${isEvent ? "attributes" : "properties"}.`;
    }
    if (taken.has(`${to} ${name}`)) return `Two columns become the ${to} "${name}".`;
    taken.add(`${to} ${name}`);
  }
  const identifies = columns.some(({ to, name }) => to === "identifier" && !name.startsWith("account."));
  if (!identifies) return `No column identifies the ${subjectType}.`;
  if (isEvent && !taken.has("field event")) return "No column says which event happened.";
  return undefined;
}

/** The value of a column of a record. */
export function columnOf(record: Json, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  const [, outer, inner] = /^(traits|attributes|properties)\.(.+)$/s.exec(column) ?? [];
  if (outer === undefined || inner === undefined) return undefined;
  const part = record[outer];
  return isObject(part) && Object.hasOwn(part, inner) ? part[inner] : undefined;
}

/** The names of the columns of a record. */
export function columnsOf(record: Json): string[] {
  return Object.keys(record).flatMap((key) => {
    const value = record[key];
    return NESTED.includes(key) && isObject(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key];
  });
}

function addIdentifier(record: Json, name: string, cell: unknown): void {
  const [, ofAccount] = /^account\.(.+)$/.exec(name) ?? [];
  const text = typeof cell === "string" ? cell.trim() : cell;
  if (ofAccount === undefined) record[name] = text;
  else record.account = { ...(record.account as Json | undefined), [ofAccount]: text };
}
