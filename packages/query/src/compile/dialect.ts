import type { CalendarUnit } from "../dates/calendar.js";
import type { FieldDefinition, Target } from "../target.js";
import type { Column } from "./column.js";
import type { ParamType, Placeholders, StatementParams } from "./statement-params.js";

/** The type of a null that has no other type. */
export type NullType = "text" | "number";

/** One event property, read as each type. The type may differ from row to row; a part is null where the value has another. */
export interface DynamicParts {
  readonly text: string;
  readonly number: string;
  readonly boolean: string;
  /** A list of texts. */
  readonly list: string;
}

/** The values that a property is compared with, by the types that each can be read as. */
export interface DynamicValues {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  readonly booleans: readonly boolean[];
}

/** A pattern of words and the gaps between them, for text in lower case. */
export interface WordPattern {
  /** A word that every matching text contains; an engine can look for it quickly. */
  readonly needle: string;
  /** The whole pattern as a regular expression (RE2), given the class of characters that are not part of a word. */
  readonly pattern: (gap: string) => string;
}

/**
 * The SQL of one engine, for the rows of one organization. Only what differs between the engines is here; the compiler
 * writes the rest itself. Every method returns SQL. Arguments whose name ends in `sql` are expressions or placeholders.
 * Values of a query are given together with `params`, because they are sent as parameters.
 */
export interface Dialect extends Placeholders {
  /** The table of a target's rows, as written after `from`. */
  table(target: Target): string;
  /** A condition that selects the rows of the organization. */
  ownRows(params: StatementParams): string;
  /** The column that identifies rows of users and accounts in joins. */
  readonly key: string;
  /** Columns that hold the key of the user of an event, and of the account of an event or user. */
  readonly userKey: string;
  readonly accountKey: string;
  /** The column that orders events of the same time: in the order in which they were stored, or by their ids. */
  readonly eventOrder: string;
  /** The column of a field of users or accounts. */
  attribute(target: "user" | "account", field: FieldDefinition): Column;
  /** The column of a field of events; undefined when there is none of that name. */
  eventColumn(key: string): Column | undefined;

  /** A test whether a row is one of some users or accounts: takes the SQL of a key and returns a condition. */
  among(ids: readonly string[], params: StatementParams): (keySql: string) => string;
  /** Selects the keys of the members of these segments, or of any segment when none is given. */
  memberKeys(
    segmentIds: readonly string[] | undefined,
    limit: ((keySql: string) => string) | undefined,
    params: StatementParams,
  ): string;
  /** Selects `member_key` and `segment_list`, the ids of a member's segments. */
  segmentLists(params: StatementParams): string;

  /** The value is one of several. */
  isOneOf(sql: string, type: ParamType, values: readonly (string | number)[], params: StatementParams): string;
  /** The text of an id. */
  idText(sql: string): string;
  /** The text of a value of any type. Different values have different texts. */
  textOf(sql: string): string;
  nullOf(type: NullType): string;

  lower(sql: string): string;
  /** Lower-cases as the engine does, which differs from JavaScript for a few letters. */
  lowerCase(text: string): string;
  startsWith(sql: string, prefixSql: string): string;
  /** The pattern of `like` has `\\` as its escape character. */
  like(sql: string, patternSql: string): string;
  /** A regular expression (RE2) matches somewhere in the text. */
  matches(sql: string, patternSql: string): string;
  hasWords(sql: string, words: WordPattern, params: StatementParams): string;

  isFilled(listSql: string): string;
  /** A list of texts has one of these. */
  hasAnyOf(listSql: string, texts: readonly string[], params: StatementParams): string;
  /** The condition holds for some element. */
  anyElement(listSql: string, condition: (elementSql: string) => string): string;
  /** A text as a number; null when it is not a number. */
  numberFrom(sql: string): string;
  smallest(listSql: string): string;
  largest(listSql: string): string;
  distinct(listSql: string): string;
  /** An expression for a select list that makes one row for each element. */
  explode(listSql: string): string;
  /** The list of the indexes of the conditions that hold. */
  placesOf(conditions: readonly string[]): string;
  /** A whole number below `count` in a type that rows are grouped by quickly. */
  place(sql: string, count: number): string;
  /** An aggregate: the set of all places, which are below 62. */
  setOf(placeSql: string): string;
  /** 1 when a set has the place, else 0. */
  hasPlace(setSql: string, place: number): string;
  /** An aggregate: the number of different elements in the lists of all rows. */
  countElements(listSql: string): string;

  /** Aggregates: the value of the first and of the last row that has one, in the order of these columns. */
  earliest(valueSql: string, order: readonly string[]): string;
  latest(valueSql: string, order: readonly string[]): string;

  dynamic(sql: string): DynamicParts;
  dynamicEquals(sql: string, values: DynamicValues, params: StatementParams): string;
  /** The values of a property as texts, whatever its type: none, one, or the elements of a list. */
  dynamicTexts(sql: string): string;

  /** A moment to compare an `instant` column with, given the SQL of its milliseconds. */
  instant(msSql: string): string;
  /** The milliseconds of an `instant` column, as a number. */
  milliseconds(instantSql: string): string;
  /** How many milliseconds an `instant` column is after a moment, as a whole number. */
  millisecondsAfter(instantSql: string, firstMsSql: string): string;
  /** The whole part of the quotient of a number, which is whole and from 0 up to `most`, and a whole divisor. */
  quotient(sql: string, divisor: number, most: number): string;
  /** The milliseconds of a date in a text; null when the text is not a date. */
  millisecondsOfText(sql: string): string;
  /** The start of the calendar unit that contains a moment, in a named time zone; both are in milliseconds. */
  startOfUnit(msSql: string, unit: CalendarUnit, zoneSql: string): string;

  /** A JSON list, which can be an element of another one. */
  jsonList(items: readonly string[]): string;
  /** A JSON list, serialised as text. */
  jsonText(listSql: string): string;
}
