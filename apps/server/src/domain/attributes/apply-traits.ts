import { isObject } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { Roster } from "../identity/roster.js";
import type { AttributeValue, Profile } from "../profiles/profile.js";
import type { AttributeDefinitions } from "./attribute-definitions.js";
import { inferType, readValue, sameValue } from "./attribute-values.js";
import { isComputedField, settableFieldType } from "./standard-fields.js";

export type Operation = "set" | "setIfNull" | "inc" | "dec";

const OPERATIONS: ReadonlyMap<unknown, Operation> = new Map([
  ["set", "set"],
  ["setIfNull", "setIfNull"],
  ["inc", "inc"],
  ["increment", "inc"],
  ["dec", "dec"],
  ["decrement", "dec"],
]);

export interface TraitsContext {
  roster: Roster;
  definitions: AttributeDefinitions;
  at: number;
  source: string;
  maxValueBytes: number;
  /** Existing values are kept whatever their time. This is the import option `overwrite: false`. */
  keepExisting?: boolean;
  /** Called for each attribute that is refused. The other attributes are applied. */
  onRefusal(attribute: string, reason: string): void;
}

const MAX_NAME_LENGTH = 256;
const IDENTIFYING = new Set(["email", "external_id", "domain"]);

/** Applies a flat object of attributes, each a value or `{value, operation}`, to a profile. */
export function applyTraits(profile: Profile, traits: Record<string, unknown>, context: TraitsContext): void {
  for (const [key, given] of Object.entries(traits)) {
    const name = attributeName(profile.subjectType, key);
    const reason = applyTrait(profile, name, given, context);
    if (reason) context.onRefusal(key, reason);
  }
}

function applyTrait(profile: Profile, name: string, given: unknown, context: TraitsContext): string | undefined {
  const { operation, value } = readOperation(given);
  if (operation === undefined)
    return `there is no operation ${printValue((given as { operation: unknown }).operation)}`;
  const problem = nameProblem(profile, name) ?? sizeProblem(value, context.maxValueBytes);
  if (problem) return problem;

  if (value === null || value === undefined) {
    if (operation === "inc" || operation === "dec") return "there is no number to add";
    if (operation === "set") unset(profile, name, context);
    return undefined;
  }
  const cell = profile.cells.get(name);
  const known = typeOf(profile, name, value, context);
  if (known === undefined) return "the organization has as many attributes as it may have";
  const reading = readValue(known, value);
  if (!reading.ok) return reading.reason;
  context.definitions.see(name);
  const current = cell?.value ?? null;

  switch (operation) {
    case "inc":
    case "dec": {
      if (known !== "numeric") return `only a number can be added to, and the attribute's type is ${known}`;
      const by = (operation === "inc" ? 1 : -1) * (reading.value as number);
      const at = Math.max(context.at, cell?.at ?? 0);
      write(profile, name, ((current as number | null) ?? 0) + by, { ...context, at });
      return undefined;
    }
    case "setIfNull":
      if (current === null) write(profile, name, reading.value, context);
      return undefined;
    case "set": {
      const refused = claim(profile, name, reading.value, context.roster);
      if (!refused && (context.keepExisting ? current === null : !cell || cell.at <= context.at)) {
        write(profile, name, reading.value, context);
      }
      return refused;
    }
  }
}

/**
 * Stores when an attribute was unset, even if it has no value: an older value that arrives later must not be set.
 */
function unset(profile: Profile, name: string, context: TraitsContext): void {
  const cell = profile.cells.get(name);
  if (cell ? cell.at > context.at : !canBeKnown(profile, name, context.definitions)) return;
  if (context.keepExisting && cell && cell.value !== null) return;
  write(profile, name, null, context);
}

function canBeKnown(profile: Profile, name: string, definitions: AttributeDefinitions): boolean {
  return (
    settableFieldType(profile.subjectType, name) !== undefined ||
    definitions.get(name) !== undefined ||
    !definitions.isFull
  );
}

function write(profile: Profile, name: string, value: AttributeValue, { roster, at, source }: TraitsContext): void {
  const before = profile.cells.get(name)?.value ?? null;
  if (sameValue(before, value)) roster.touch(profile);
  else roster.noteChange(profile, name, before);
  profile.cells.set(name, { value, at, source });
}

/** An identifier given as an attribute is also added as an identifier, unless another profile has it. */
function claim(profile: Profile, name: string, value: AttributeValue, roster: Roster): string | undefined {
  if (!IDENTIFYING.has(name) || typeof value !== "string") return undefined;
  const taken = !roster.claimIfFree(profile, name as "email" | "external_id" | "domain", value);
  return taken && name === "external_id"
    ? `the external id "${value}" cannot identify this ${profile.subjectType}`
    : undefined;
}

/** Printed as JSON: an object of a client may have a `toString` that is no function. */
function printValue(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? "undefined";
}

/** An object with no keys but `value` and `operation` is an operation; any other object is a value. */
function readOperation(given: unknown): { operation: Operation | undefined; value: AttributeValue | undefined } {
  if (isObject(given)) {
    const keys = Object.keys(given);
    const isOperation = keys.length > 0 && keys.every((key) => key === "value" || key === "operation");
    if (isOperation) {
      const { value, operation = "set" } = given as { value?: AttributeValue; operation?: unknown };
      return { operation: OPERATIONS.get(operation), value };
    }
  }
  return { operation: "set", value: given as AttributeValue };
}

function typeOf(profile: Profile, name: string, value: NonNullable<AttributeValue>, context: TraitsContext) {
  const standard = settableFieldType(profile.subjectType, name);
  if (standard) return standard;
  const known = context.definitions.get(name)?.type;
  if (known) return known;
  const type = inferType(name, value);
  // A first value that is refused must not decide the type.
  if (!readValue(type, value).ok) return type;
  return context.definitions.define(name, type, context.source)?.type;
}

function nameProblem(profile: Profile, name: string): string | undefined {
  if (isComputedField(profile.subjectType, name)) return "Muster keeps this field itself";
  // Assigning this key to an object sets its prototype instead of a property.
  if (name === "__proto__") return "this cannot be the name of an attribute";
  if (name === "" || name.length > MAX_NAME_LENGTH) return `attribute names have 1 to ${MAX_NAME_LENGTH} characters`;
  return hasControlCharacter(name) ? "attribute names have no control characters" : undefined;
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 32) return true;
  return false;
}

function sizeProblem(value: unknown, maxBytes: number): string | undefined {
  if (typeof value === "number" || typeof value === "boolean" || value == null) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A UTF-16 code unit takes at most three bytes of UTF-8, so the bytes of short values need not be counted.
  const tooLarge = text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
  return tooLarge ? `the value is larger than ${maxBytes} bytes` : undefined;
}
