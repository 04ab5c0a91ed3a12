import type { SubjectType } from "@muster/protocol";
import {
  type AttributeTypes,
  type ComputedValues,
  type EventAggregate,
  parse,
  type Query,
  QueryError,
  reportKey,
  type UserAggregate,
} from "@muster/query";
import type { AttributeValue } from "../../domain/attributes/attribute-values.js";
import { isoText } from "../../domain/attributes/iso-text.js";
import { type EventsComputation, valueOfNothing } from "../../domain/computed/computation.js";
import type { ComputedValue } from "../../domain/computed/own-values.js";
import { inParts } from "../../runtime/loops/in-parts.js";
import type { AskOptions } from "../../storage/questions/asking.js";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { EngineComputed, RefusedComputed } from "./known-computed.js";

export interface ValuesContext {
  attributeTypes: AttributeTypes;
  now: Date;
}

/** Computed values by the id of their subject. */
export type ValuesById = Map<string, ComputedValue[]>;

export interface AskedValues {
  values: ValuesById;
  refused: RefusedComputed[];
}

// A statement with a hundred conditions takes a tenth of a second to plan.
const COMPUTED_PER_QUESTION = 40;
export const SUBJECTS_PER_QUESTION = 4_000;
// A slow definition among forty takes the time limit three times before it is found. With halves it would be seven times.
const PARTS = 6;

/** Asks the question engine for the values of subjects, in one statement for all that ask the same table. */
export async function askValues(
  questions: Pick<Questions, "aggregateEvents" | "aggregateUsers">,
  organizationId: string,
  asked: readonly EngineComputed[],
  ids: readonly string[],
  context: ValuesContext,
  options?: AskOptions,
): Promise<AskedValues> {
  const answer: AskedValues = { values: new Map(), refused: [] };
  for (const kind of ["events", "users"] as const) {
    const alike = asked.filter(({ computation }) => computation.kind === kind);
    for (const some of inParts(alike, COMPUTED_PER_QUESTION)) {
      for (const page of inParts(ids, SUBJECTS_PER_QUESTION)) {
        await askPage({ questions, organizationId, context, options, answer }, some, page);
      }
    }
  }
  return answer;
}

interface Asking {
  questions: Pick<Questions, "aggregateEvents" | "aggregateUsers">;
  organizationId: string;
  context: ValuesContext;
  options: AskOptions | undefined;
  answer: AskedValues;
}

/** When the question is refused, its parts are asked, and so on, so that one definition does not stop the others. */
async function askPage(asking: Asking, asked: readonly EngineComputed[], ids: readonly string[]): Promise<void> {
  const { answer } = asking;
  const [only] = asked;
  if (!only) return;
  try {
    const found = await ask(asking, asked, ids);
    for (const id of ids) {
      const computed = asked.map((one, place) => computedValue(one, found.get(id)?.[place]));
      const known = answer.values.get(id);
      if (known) known.push(...computed);
      else answer.values.set(id, computed);
    }
  } catch (error) {
    if (!(error instanceof QueryError || error instanceof QuestionTimeout)) throw error;
    if (asked.length === 1) {
      answer.refused.push({ computed: only, problem: problemOf(error), cause: error });
      return;
    }
    const size = Math.max(1, Math.floor(asked.length / PARTS));
    for (const part of inParts(asked, size)) await askPage(asking, part, ids);
  }
}

function problemOf(error: QueryError | QuestionTimeout): string {
  if (error instanceof QueryError) return error.message;
  return `${error.message} Ask for less: for an event that is seldom, or without conditions on other events and segments.`;
}

function ask(
  { questions, organizationId, context, options }: Asking,
  asked: readonly EngineComputed[],
  ids: readonly string[],
): Promise<Map<string, ComputedValues>> {
  const [first] = asked;
  if (first?.computation.kind === "users") {
    return questions.aggregateUsers(organizationId, asked.flatMap(userAggregate), ids, context, options);
  }
  const subjectType: SubjectType = first?.subjectType ?? "user";
  const among = { subjectType, ids };
  return questions.aggregateEvents(organizationId, asked.flatMap(eventAggregate), among, context, options);
}

function eventAggregate({ computation, type }: EngineComputed): EventAggregate[] {
  if (computation.kind !== "events") return [];
  const { aggregate, property, withinMs } = computation;
  return [{ aggregate, query: eventsOf(computation), property, withinMs, type }];
}

function userAggregate({ computation, type }: EngineComputed): UserAggregate[] {
  if (computation.kind !== "users") return [];
  const { aggregate, where, attribute } = computation;
  return [
    { aggregate, query: where, attribute: attribute === undefined ? undefined : reportKey("user", attribute), type },
  ];
}

/** The events that count, whatever their time. */
export function eventsOf({ event, where }: EventsComputation): Query {
  const named = parse({ term: { event } }, { target: "event" });
  if (!where) return named;
  return { kind: "bool", path: where.path, must: [named, where], should: [], mustNot: [], minimum: 0 };
}

function computedValue(
  { id, name, type, computation }: EngineComputed,
  answer: string | number | boolean | null | undefined,
): ComputedValue {
  const value = answer ?? valueOfNothing(computation);
  return { id, name, value: shown(type, value) };
}

/** A figure as attributes have it. A text that no attribute could have is left out. */
function shown(type: EngineComputed["type"], value: string | number | boolean | null): AttributeValue {
  if (type === "date") return typeof value === "number" && isDate(value) ? isoText(Math.round(value)) : null;
  return typeof value === "string" && value.length > MAX_TEXT ? null : value;
}

const MAX_TEXT = 16_384;
const LAST_TIME = 8.64e15;

function isDate(ms: number): boolean {
  return Math.abs(ms) <= LAST_TIME;
}
