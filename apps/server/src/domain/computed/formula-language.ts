import { Environment, type Limits } from "@marcbachmann/cel-js";
import type { AttributeType } from "../attributes/attribute-definitions.js";

/** Bounds of a formula's text. What a formula costs with the values that it reads is bounded in `formula-cost.ts`. */
export const FORMULA_LIMITS: Limits = {
  maxAstNodes: 300,
  maxDepth: 32,
  maxListElements: 100,
  maxMapEntries: 50,
  maxCallArguments: 3,
};

/** The values of a formula are found under these keys, so a variable of a macro never hides an attribute. */
export const keyOfAttribute = (name: string) => `@${name}`;

/** The types of attributes in CEL. A date is a text in a formula: dates compare as texts, and `timestamp(…)` reads them. */
const CEL_TYPES: Readonly<Record<AttributeType, string>> = {
  string: "string",
  date: "string",
  numeric: "double",
  boolean: "bool",
  array: "list",
  json: "map",
};

const TIMESTAMP = "google.protobuf.Timestamp";
const VALUE_TYPES = ["string", "double", "int", "bool", "list", "map", TIMESTAMP];
const sync = { async: false };

/** The functions that stand beside those of CEL, and the mixed arithmetic that CEL itself leaves out. */
function declareLanguage(environment: Environment): Environment {
  // Attributes are decimal numbers, and `size(…)` is a whole one: CEL would refuse to add them.
  for (const [left, right] of [
    ["double", "int"],
    ["int", "double"],
  ]) {
    environment.registerOperator(`${left} + ${right}: double`, (a, b) => Number(a) + Number(b));
    environment.registerOperator(`${left} - ${right}: double`, (a, b) => Number(a) - Number(b));
    environment.registerOperator(`${left} * ${right}: double`, (a, b) => Number(a) * Number(b));
    environment.registerOperator(`${left} / ${right}: double`, (a, b) => Number(a) / Number(b));
    environment.registerOperator(`${left} % ${right}: double`, (a, b) => Number(a) % Number(b));
  }
  environment.registerOperator("double % double: double", (a, b) => a % b);
  // Any attribute may be unset, so a comparison with null is no mistake about types.
  for (const type of VALUE_TYPES) environment.registerOperator(`${type} == null`, (a, b) => a === b);

  environment.registerFunction("round(double): double", (a) => Math.round(a), sync);
  environment.registerFunction("round(int): int", (a) => a, sync);
  for (const left of ["double", "int"]) {
    for (const right of ["double", "int"]) {
      const both = left === right ? left : "double";
      const as = (value: number | bigint) => (both === "double" ? Number(value) : value);
      environment.registerFunction(`min(${left}, ${right}): ${both}`, (a, b) => as(a < b ? a : b), sync);
      environment.registerFunction(`max(${left}, ${right}): ${both}`, (a, b) => as(a > b ? a : b), sync);
    }
  }
  for (const left of [...VALUE_TYPES, "null"]) {
    for (const right of [...VALUE_TYPES, "null"]) {
      const type = left === "null" ? right : left;
      const handler = left === "null" ? (_: unknown, b: unknown) => b : (a: unknown) => a;
      environment.registerFunction(`coalesce(${left}, ${right}): ${left === right ? type : "dyn"}`, handler, sync);
    }
  }
  return environment;
}

/** `attribute("crm/stage")` reads an attribute whose name is no word of the language. */
function declareAttribute(environment: Environment, typeOf: (name: string) => string): Environment {
  return environment.registerFunction("attribute(ast): dyn", ({ args }) => ({
    name: String(args[0].args),
    async: false,
    typeCheck: (checker: { getType(name: string): unknown }, macro: { name: string }) =>
      checker.getType(typeOf(macro.name)),
    evaluate: (_: unknown, macro: { name: string }, context: { getValue(key: string): unknown }) =>
      context.getValue(keyOfAttribute(macro.name)),
  }));
}

const language = declareLanguage(
  new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits: FORMULA_LIMITS }),
);

/** Reads and evaluates formulas. Every attribute may have any type, because every one may be unset. */
export const evaluatingLanguage = declareAttribute(language.clone(), () => "dyn");

/** A language in which attributes have their types. It finds mistakes about types, and the type of the result. */
export function typedLanguage(
  reads: readonly string[],
  typeOf: (name: string) => AttributeType | undefined,
): Environment {
  const celTypeOf = (name: string) => {
    const type = typeOf(name);
    return type === undefined ? "dyn" : CEL_TYPES[type];
  };
  const typed = declareAttribute(language.clone(), celTypeOf);
  for (const name of reads) if (isWord(name)) typed.registerVariable(name, celTypeOf(name));
  return typed;
}

/** Whether a name is a word of the language itself, such as the name of a type. */
export function isReserved(name: string): boolean {
  return language.hasVariable(name);
}

function isWord(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isReserved(name);
}

/** The type of the attribute that a type of CEL becomes. Undefined when the type is known only when it is computed. */
export function attributeTypeOf(celType: string): AttributeType | "never" | undefined {
  if (celType === "dyn") return undefined;
  if (celType === TIMESTAMP) return "date";
  if (celType.startsWith("list")) return "array";
  if (celType.startsWith("map")) return "json";
  switch (celType) {
    case "bool":
      return "boolean";
    case "int":
    case "double":
      return "numeric";
    case "string":
      return "string";
    default:
      return "never";
  }
}
