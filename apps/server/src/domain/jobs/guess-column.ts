import { isId, type SubjectType } from "@muster/protocol";
import { attributeName, isStandardField, STANDARD_FIELDS } from "@muster/query";
import type { AttributeType } from "../attributes/attribute-definitions.js";
import { isKeptByMuster } from "../attributes/standard-fields.js";
import type { ColumnMapping } from "./column-mapping.js";
import { convertCell, TYPE_WORDS } from "./convert-cell.js";
import { type JobObject, subjectTypeOf } from "./job.js";

/** What a column of an import file seems to be. */
export interface ColumnGuess {
  /** The type of its values. */
  type: AttributeType;
  /** What should become of it. */
  suggestion: Pick<ColumnMapping, "to" | "name" | "type">;
  /** The type that the attribute has already. */
  knownType: AttributeType | undefined;
  /** Why rows would be refused, as a sentence. */
  conflict: string | undefined;
}

/** Types of attributes by name; undefined for a new one. */
export type KnownTypes = (name: string) => AttributeType | undefined;

const SYNONYMS: Record<SubjectType, Record<string, string>> = {
  user: {
    email: "email",
    e_mail: "email",
    mail: "email",
    email_address: "email",
    external_id: "external_id",
    user_id: "external_id",
    customer_id: "external_id",
    uid: "external_id",
    anonymous_id: "anonymous_id",
    visitor_id: "anonymous_id",
    account_id: "account.external_id",
    company_id: "account.external_id",
    account_domain: "account.domain",
    company_domain: "account.domain",
  },
  account: {
    external_id: "external_id",
    account_id: "external_id",
    company_id: "external_id",
    domain: "domain",
    website: "domain",
    company_domain: "domain",
    anonymous_id: "anonymous_id",
  },
};

const ATTRIBUTE_SYNONYMS: Record<string, string> = {
  full_name: "name",
  firstname: "first_name",
  given_name: "first_name",
  lastname: "last_name",
  surname: "last_name",
  family_name: "last_name",
  phone_number: "phone",
};

const EVENT_SYNONYMS: Record<string, string> = {
  event: "event",
  event_name: "event",
  action: "event",
  created_at: "created_at",
  timestamp: "created_at",
  time: "created_at",
  date: "created_at",
  occurred_at: "created_at",
  event_id: "event_id",
  session_id: "session_id",
  source: "source",
  url: "url",
  referer: "referer",
  ip: "ip",
};

/** Guesses what a column is, from its name and the values of a sample. */
export function guessColumn(
  object: JobObject,
  column: string,
  values: readonly unknown[],
  knownTypes: KnownTypes,
): ColumnGuess {
  const type = guessType(values);
  const name = snakeCase(column.replace(/^(?:traits|attributes|properties)\./, ""));
  const identifier = identifierOf(object, name, values);
  if (identifier !== undefined) {
    return { type, suggestion: { to: "identifier", name: identifier, type: "string" }, ...NO_CONFLICT };
  }
  if (object === "events") {
    const field = column.startsWith("properties.") ? undefined : EVENT_SYNONYMS[name];
    const suggestion = field === undefined ? { to: "property", name } : { to: "field", name: field };
    return { type, suggestion: { ...suggestion, type } as ColumnGuess["suggestion"], ...NO_CONFLICT };
  }
  return guessAttribute(subjectTypeOf(object), column, name, values, type, knownTypes);
}

const NO_CONFLICT = { knownType: undefined, conflict: undefined };

function guessAttribute(
  subjectType: SubjectType,
  column: string,
  snake: string,
  values: readonly unknown[],
  type: AttributeType,
  knownTypes: KnownTypes,
): ColumnGuess {
  // An attribute may have been named as the column is, with capitals and spaces.
  const exact = attributeName(subjectType, column);
  const usual = ATTRIBUTE_SYNONYMS[snake] ?? snake;
  const name = knownTypes(exact) === undefined ? attributeName(subjectType, usual) : exact;
  if (isKeptByMuster(subjectType, name) || values.length === 0) {
    return { type, suggestion: { to: "ignore", name, type }, ...NO_CONFLICT };
  }
  const knownType = isStandardField(subjectType, name) ? STANDARD_FIELDS[subjectType][name] : knownTypes(name);
  const wanted = knownType ?? type;
  return {
    type,
    suggestion: { to: "attribute", name, type: wanted },
    knownType,
    conflict: conflictOf(name, wanted, values),
  };
}

function conflictOf(name: string, type: AttributeType, values: readonly unknown[]): string | undefined {
  const wrong = values.filter((value) => convertCell(value, type) === undefined).length;
  if (wrong === 0) return undefined;
  const rows = wrong === 1 ? "1 value" : `${wrong.toLocaleString("en")} values`;
  return `"${name}" is ${TYPE_WORDS[type]}, and ${rows} of ${values.length.toLocaleString("en")} in the sample cannot be read as that. Such rows would be refused.`;
}

function identifierOf(object: JobObject, name: string, values: readonly unknown[]): string | undefined {
  if (name === "id") return values.length > 0 && values.every(isId) ? "id" : "external_id";
  const synonyms = SYNONYMS[subjectTypeOf(object)];
  const found = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined;
  // The account of an event does not link its user.
  return object === "events" && found?.startsWith("account.") ? undefined : found;
}

/** The type that all values have. Digits with a leading zero, and very long ones, are names and not numbers. */
export function guessType(values: readonly unknown[]): AttributeType {
  if (values.length === 0) return "string";
  if (values.every(Array.isArray)) return "array";
  if (values.every((value) => typeof value === "object")) return "json";
  if (values.every(isNumber)) return "numeric";
  if (values.every((value) => typeof value === "boolean" || /^(?:true|false|yes|no)$/i.test(String(value).trim()))) {
    return "boolean";
  }
  return values.every((value) => /^\s*\d{4}\D/.test(String(value)) && convertCell(value, "date")) ? "date" : "string";
}

function isNumber(value: unknown): boolean {
  if (typeof value === "number") return true;
  if (typeof value !== "string" || convertCell(value, "numeric") === undefined) return false;
  const text = value.trim();
  return !/^[-+]?0\d/.test(text) && !text.startsWith("+") && text.replace(/\D/g, "").length <= 15;
}

function snakeCase(text: string): string {
  return text
    .trim()
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^\p{L}\p{N}/]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}
