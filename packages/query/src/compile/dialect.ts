import type { CalendarUnit } from "../dates/calendar.js";
import type { FieldDefinition, Target } from "../target.js";
import type { Column } from "./column.js";
import type { ParamType, Placeholders, StatementParams } from "./statement-params.js";

/** What a value is when nothing else tells: the type of a bare null. */
export type NullType = "text" | "number";

/** The ways to read one event property, whose values may differ in type from row to row; each is null where it is of another. */
export interface DynamicParts {
  readonly text: string;
  readonly number: string;
  readonly boolean: string;
  /** A list of texts. */
  readonly list: string;
}

/** The values that a property may equal, by what each can be read as. */
export interface DynamicValues {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
  readonly booleans: readonly boolean[];
}

/** A pattern about words and the gaps between them, for text that is lower-cased already. */
export interface WordPattern {
  /** A word that every fitting text holds: quick to look for. */
  readonly needle: string;
  /** The whole as a regular expression (RE2), given the class of characters that are no part of a word. */
  readonly pattern: (gap: string) => string;
}

/**
 * How one engine says what the compiler means, about the rows of one organization. Whatever both engines spell alike is
 * written in the compiler itself; only differences are here. Every method returns SQL. Arguments whose name ends in `sql`
 * are expressions or placeholders; values of a query are given together with `params` and travel as parameters.
 */
export interface Dialect extends Placeholders {
  /** The table of a target's rows, as it stands after `from`. */
  table(target: Target): string;
  /** A condition that keeps to the rows of the organization. */
  ownRows(params: StatementParams): string;
  /** The column that tells rows of users and accounts apart in joins. */
  readonly key: string;
  /** Columns that hold the key of the user of an event, and of the account of an event or user. */
  readonly userKey: string;
  readonly accountKey: string;
  /** The column of a field of users or accounts. */
  attribute(target: "user" | "account", field: FieldDefinition): Column;
  /** The column of a field of events; undefined when there is none of that name. */
  eventColumn(key: string): Column | undefined;

  /** A test for being among some users or accounts: given the SQL of a key, a condition. */
  among(ids: readonly string[], params: StatementParams): (keySql: string) => string;
  /** Selects the keys of those who are in any of the segments, or in any segment at all. */
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
  nullOf(type: NullType): string;

  lower(sql: string): string;
  /** Lower-cases as the engine does, which differs from JavaScript for a few letters. */
  lowerCase(text: string): string;
  startsWith(sql: string, prefixSql: string): string;
  /** The pattern of `like` has `\\` as its escape character. */
  like(sql: string, patternSql: string): string;
  /** A regular expression (RE2) fits somewhere in the text. */
  matches(sql: string, patternSql: string): string;
  hasWords(sql: string, words: WordPattern, params: StatementParams): string;

  isFilled(listSql: string): string;
  /** A list of texts has one of these. */
  hasAnyOf(listSql: string, texts: readonly string[], params: StatementParams): string;
  /** Some element fits the condition. */
  anyElement(listSql: string, condition: (elementSql: string) => string): string;
  /** A text as a number; null when it is none. */
  numberFrom(sql: string): string;
  smallest(listSql: string): string;
  largest(listSql: string): string;
  distinct(listSql: string): string;
  /** A row for each element, where it stands in a select. */
  explode(listSql: string): string;
  /** The list of the places, counted from 0, of those conditions that hold. */
  placesOf(conditions: readonly string[]): string;
  /** An aggregate: how many different elements the lists of all rows have. */
  countElements(listSql: string): string;

  dynamic(sql: string): DynamicParts;
  dynamicEquals(sql: string, values: DynamicValues, params: StatementParams): string;
  /** The values of a property as texts, whatever its type: none, one, or the elements of a list. */
  dynamicTexts(sql: string): string;

  /** A moment to compare an `instant` column with, given the SQL of its milliseconds. */
  instant(msSql: string): string;
  /** The milliseconds of an `instant` column, as a number. */
  milliseconds(instantSql: string): string;
  /** The milliseconds of a date that is written in a text; null when it is none. */
  millisecondsOfText(sql: string): string;
  /** The start of the calendar unit that a moment lies in, in a time zone with a name; both are milliseconds. */
  startOfUnit(msSql: string, unit: CalendarUnit, zoneSql: string): string;

  /** A JSON list, which can stand in another one. */
  jsonList(items: readonly string[]): string;
  /** The text of such a list. */
  jsonText(listSql: string): string;
}
