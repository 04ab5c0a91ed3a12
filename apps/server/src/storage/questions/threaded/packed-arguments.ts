import { type SubjectType, withoutUserAttributePrefix, withUserAttributePrefix } from "@muster/protocol";
import type { AttributeTypes, FieldType } from "@muster/query";
import type { TypeOf } from "../projection.js";

// Functions and signals cannot be sent to another thread. In the port they are arguments, or properties of arguments.

/** The types of the attributes that the arguments name, by report key. */
type KnownTypes = Readonly<Record<SubjectType, ReadonlyMap<string, FieldType>>>;

type Packed = { packed: "signal" } | { packed: "typeOf" | "attributeTypes"; types: KnownTypes };

/** The arguments of a call as data, and the signal that is among them. */
export function packArguments(args: readonly unknown[]): { args: unknown[]; signal: AbortSignal | undefined } {
  let signal: AbortSignal | undefined;
  let names: Set<string> | undefined;
  const pack = (value: unknown): unknown => {
    if (value instanceof AbortSignal) {
      signal = value;
      return { packed: "signal" } satisfies Packed;
    }
    if (typeof value !== "function" && !isAttributeTypes(value)) return value;
    names ??= namesIn(args);
    // All functions of the port tell the type of an attribute.
    if (typeof value === "function") return { packed: "typeOf", types: knownTypes(value as TypeOf, names) };
    const types = knownTypes((subjectType, key) => value.typeOf(subjectType, key), names);
    return { packed: "attributeTypes", types } satisfies Packed;
  };
  return { args: args.map((argument) => change(argument, pack)), signal };
}

/** The arguments as the engine takes them. `signal` takes the place of the one of the other thread. */
export function unpackArguments(args: readonly unknown[], signal: AbortSignal): unknown[] {
  const unpack = (value: unknown): unknown => {
    if (!isPacked(value)) return value;
    if (value.packed === "signal") return signal;
    const { types } = value;
    const typeOf: TypeOf = (subjectType, key) => types[subjectType].get(key);
    return value.packed === "typeOf" ? typeOf : ({ typeOf } satisfies AttributeTypes);
  };
  return args.map((argument) => change(argument, unpack));
}

function change(argument: unknown, each: (value: unknown) => unknown): unknown {
  if (!isPlainObject(argument) || isPacked(argument)) return each(argument);
  return Object.fromEntries(Object.entries(argument).map(([key, value]) => [key, each(value)]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isAttributeTypes(value: unknown): value is AttributeTypes {
  return isPlainObject(value) && typeof value.typeOf === "function";
}

function isPacked(value: unknown): value is Packed {
  return isPlainObject(value) && typeof value.packed === "string";
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
