import type { EvaluationError, ParseError, ParseResult } from "@marcbachmann/cel-js";
import { Refusal } from "@muster/protocol";
import type { AttributeType } from "../attributes/attribute-definitions.js";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { costOf, MAX_COST, Weights } from "./formula-cost.js";
import { attributeTypeOf, evaluatingLanguage, isReserved, keyOfAttribute, typedLanguage } from "./formula-language.js";
import { type FormulaProblem, type FormulaResult, readResult } from "./formula-result.js";
import { FormulaProblemAt, type FormulaShape, shapeOf, useDecimalNumbers } from "./formula-shape.js";
import { typeOfNode } from "./formula-type.js";

/** A formula over attributes in CEL, the Common Expression Language, ready to be evaluated. */
export interface Formula {
  readonly text: string;
  /** The attributes that it reads. */
  readonly reads: readonly string[];
  /** The type of its values, when the text says it. */
  readonly type: AttributeType | undefined;
  /** The value, from the values that are set, by name. Never throws: what cannot be computed is null. */
  evaluate(values: ReadonlyMap<string, AttributeValue>): AttributeValue;
  /** The same, with the reason when there is no value. */
  explain(values: ReadonlyMap<string, AttributeValue>, weights?: Weights): FormulaResult;
  /** What it costs at most with these values. */
  costWith(values: ReadonlyMap<string, AttributeValue>, weights: Weights): number;
}

export interface FormulaOptions {
  /** The types of attributes, as far as they are known. With them, mistakes about types are refused. */
  typeOf?: (name: string) => AttributeType | undefined;
}

const MAX_LENGTH = 2_000;

/**
 * Reads a formula.
 *
 * @example parseFormula("plan == 'pro' && seats > 10").evaluate(new Map([["plan", "free"]])) // false
 * @throws Refusal with the column of the mistake
 */
export function parseFormula(text: string, { typeOf }: FormulaOptions = {}): Formula {
  if (text.length > MAX_LENGTH) throw refusal(`A formula has at most ${MAX_LENGTH} characters.`);
  const program = readProgram(text);
  const shape = shapeAt(text, program);
  const checked = typeOf ? checkTypes(text, shape.reads, typeOf) : checkOf(text, program);
  const type = attributeTypeOf(checked) ?? typeOfNode(program.ast);
  if (type === "never") throw refusal(resultProblem(checked));
  const costWith: Formula["costWith"] = (values, weights) => costOf(shape, text.length, values, weights);
  const explain: Formula["explain"] = (values, weights = new Weights()) =>
    costWith(values, weights) > MAX_COST
      ? noValue("too_large", "The values that it reads are too large.")
      : evaluate(program, shape, values);
  return { text, reads: shape.reads, type, explain, costWith, evaluate: (values) => explain(values).value };
}

function readProgram(text: string, language = evaluatingLanguage): ParseResult {
  try {
    const program = language.parse(text);
    useDecimalNumbers(program.ast);
    return program;
  } catch (error) {
    throw mistake(text, error as ParseError);
  }
}

function shapeAt(text: string, { ast }: ParseResult): FormulaShape {
  try {
    return shapeOf(ast);
  } catch (error) {
    if (error instanceof FormulaProblemAt) throw refusal(`${error.message} ${place(text, error.at)}`);
    throw error;
  }
}

function checkTypes(
  text: string,
  reads: readonly string[],
  typeOf: (name: string) => AttributeType | undefined,
): string {
  return checkOf(text, readProgram(text, typedLanguage(reads, typeOf)));
}

/** The type of what a program gives, in CEL. */
function checkOf(text: string, program: ParseResult): string {
  const check = program.check();
  if (!check.valid) throw mistake(text, check.error as ParseError);
  return check.type ?? "dyn";
}

function evaluate(
  program: ParseResult,
  shape: FormulaShape,
  values: ReadonlyMap<string, AttributeValue>,
): FormulaResult {
  const inputs = new Map<string, AttributeValue>();
  let isUnset = false;
  for (const name of shape.reads) {
    const value = values.get(name) ?? null;
    if (value === null) isUnset = true;
    // A name may be read both as a word and by `attribute(…)`.
    if (!isReserved(name)) inputs.set(name, value);
    inputs.set(keyOfAttribute(name), value);
  }
  // Where attributes are often unset, most of the time would go into stacks that nobody reads.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return readResult(program(inputs as never));
  } catch (error) {
    const { summary } = error as EvaluationError;
    return isUnset
      ? noValue("unset_input", "An attribute that it needs is not set.")
      : noValue("no_value", readable(summary ?? "It cannot be computed with these values."));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function noValue(reason: FormulaProblem["reason"], sentence: string): FormulaResult {
  return { value: null, problem: { reason, sentence } };
}

function resultProblem(celType: string): string {
  if (celType === "google.protobuf.Duration") {
    return "A time between two dates is no value of an attribute: ask it for getHours(), getMinutes() or getSeconds().";
  }
  return celType === "null" ? "The formula is always null." : `A value of type ${celType} cannot be stored.`;
}

/** A refusal for what the library finds wrong. Of types that could be several it throws errors without a place. */
function mistake(text: string, error: ParseError): Refusal {
  if (typeof error.summary !== "string") return refusal("the types of its parts do not fit together.");
  return refusal(`${readable(error.summary)} ${place(text, error.range?.start ?? 0)}`);
}

function refusal(message: string): Refusal {
  return new Refusal("invalid_parameter", `The formula cannot be used: ${message}`, {
    details: [{ path: "body.compute.formula", message }],
  });
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  const column = `column ${(before.at(-1) ?? "").length + 1}`;
  return text.includes("\n") ? `(line ${before.length}, ${column})` : `(${column})`;
}

const IN_WORDS: readonly [RegExp, string][] = [
  [/^Unexpected token: EOF$/, "it ends too early"],
  [/, got EOF$/, ", but it ends"],
  [/dyn<([\w.]+)>/g, "$1"],
  [/google\.protobuf\./g, ""],
  [/\bdouble\b/g, "number"],
  [/\bint\b/g, "whole number"],
  [/^no such overload: (.*)$/, "$1 is not possible"],
  [/^found no matching overload for '(.*)'$/, "$1 is not possible"],
  [/^Exceeded max\w+ \((\d+)\)$/, "it is too long or too deep: $1 is the limit"],
];

/** A sentence of the library in the words of the people who write formulas. */
function readable(summary: string): string {
  const sentence = IN_WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), summary);
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
