import { type SubjectType, withoutUserAttributePrefix, withUserAttributePrefix } from "@muster/protocol";
import type { AttributeTypes, FieldType } from "@muster/query";
import type { TypeOf } from "../projection.js";

// Functions and signals cannot be sent to another thread. In the port they are arguments, or properties of arguments.

/** The types of the attributes that the arguments name, by report key. */
type KnownTypes = Readonly<Record<SubjectType, ReadonlyMap<string, FieldType>>>;

type Encoded = "signal" | { as: "typeOf" | "attributeTypes"; types: KnownTypes };

/** Where a value was taken out: the number of the argument and, if it was inside the argument, the property. */
interface Place {
  argument: number;
  property: string | undefined;
  encoded: Encoded;
}

/** The arguments of a call as data. The places of removed values are listed apart, so no value can be mistaken for a mark. */
export interface EncodedArguments {
  args: unknown[];
  places: Place[];
}

/** The arguments of a call as data, and the signal that is among them. */
export function encodeArguments(given: readonly unknown[]): EncodedArguments & { signal: AbortSignal | undefined } {
  let signal: AbortSignal | undefined;
  let names: Set<string> | undefined;
  const places: Place[] = [];
  const encode = (value: unknown): Encoded | undefined => {
    if (value instanceof AbortSignal) {
      signal = value;
      return "signal";
    }
    if (typeof value !== "function" && !isAttributeTypes(value)) return undefined;
    names ??= namesIn(given);
    // All functions of the port tell the type of an attribute.
    if (typeof value === "function") return { as: "typeOf", types: knownTypes(value as TypeOf, names) };
    return { as: "attributeTypes", types: knownTypes((subjectType, key) => value.typeOf(subjectType, key), names) };
  };
  const takeOut = (value: unknown, argument: number, property?: string): unknown => {
    const encoded = encode(value);
    if (encoded === undefined) return value;
    places.push({ argument, property, encoded });
    return undefined;
  };
  const args = given.map((value, argument) => {
    if (!isPlainObject(value)) return takeOut(value, argument);
    const properties = Object.entries(value).map(([key, property]) => [key, takeOut(property, argument, key)]);
    return Object.fromEntries(properties) as unknown;
  });
  return { args, places, signal };
}

/** The arguments as the engine takes them. `signal` takes the place of the one of the other thread. */
export function decodeArguments({ args, places }: EncodedArguments, signal: AbortSignal): unknown[] {
  const filled = [...args];
  for (const { argument, property, encoded } of places) {
    const value = decode(encoded, signal);
    if (property === undefined) filled[argument] = value;
    // An argument with a place among its properties is a plain object.
    else filled[argument] = { ...(filled[argument] as object), [property]: value };
  }
  return filled;
}

function decode(encoded: Encoded, signal: AbortSignal): AbortSignal | TypeOf | AttributeTypes {
  if (encoded === "signal") return signal;
  const { as, types } = encoded;
  const typeOf: TypeOf = (subjectType, key) => types[subjectType].get(key);
  return as === "typeOf" ? typeOf : { typeOf };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isAttributeTypes(value: unknown): value is AttributeTypes {
  return isPlainObject(value) && typeof value.typeOf === "function";
}

/** All texts and keys in the arguments: the names of attributes are among them. */
function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (typeof value === "string") names.add(value);
  else if (Array.isArray(value)) for (const element of value) namesIn(element, names);
  else if (isPlainObject(value)) {
    for (const [key, element] of Object.entries(value)) {
      names.add(key);
      namesIn(element, names);
    }
  }
  return names;
}

function knownTypes(typeOf: TypeOf, names: ReadonlySet<string>): KnownTypes {
  const types = { user: new Map<string, FieldType>(), account: new Map<string, FieldType>() };
  const note = (subjectType: SubjectType, key: string) => {
    const type = typeOf(subjectType, key);
    if (type !== undefined) types[subjectType].set(key, type);
  };
  for (const name of names) {
    note("account", name);
    note("user", name);
    // A query may name the attribute of a user without the prefix.
    note("user", withUserAttributePrefix(withoutUserAttributePrefix(name)));
  }
  return types;
}
