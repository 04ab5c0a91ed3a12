import { checkQuery } from "../compile/check-query.js";
import { requireBoolean, requireDate, requireNumber } from "../compile/values.js";
import type { BoolQuery, Bound, ExistsQuery, FieldQuery, Query, RangeQuery, TermsQuery } from "../query.js";
import { QueryError } from "../query-error.js";
import { isSet, storedBoolean, storedElements, storedNumber, storedText, storedTime } from "../stored-values.js";
import { type AttributeTypes, type FieldDefinition, resolveField } from "../target.js";

type Report = Readonly<Record<string, unknown>>;

/** A part of a query that a report alone cannot answer: about events, an account, segments, or words in a text. */
export interface Question {
  /** Equal for equal questions, also in different queries. */
  readonly id: string;
  readonly query: Query;
}

/** A query as a function that tests single reports. */
export interface ReportTest {
  /** What must be asked about a user or account before its report can be tested. */
  readonly questions: readonly Question[];
  /** Whether a report (fields by report key) matches; `answers` holds the ids of the questions whose answer is yes. */
  fits(report: Report, answers: ReadonlySet<string>): boolean;
}

export interface ReportTestOptions {
  readonly target: "user" | "account";
  readonly attributeTypes: AttributeTypes;
  readonly now: Date;
}

type Test = ReportTest["fits"];

interface Context extends ReportTestOptions {
  readonly questions: Map<string, Question>;
}

/**
 * Turns a query into a test for callers that already have the reports: a hundred tests take microseconds, while the engine
 * needs a tenth of a second to plan a statement with as many conditions. Undefined for a query that the types of its
 * fields do not allow.
 */
export function reportTest(query: Query, options: ReportTestOptions): ReportTest | undefined {
  const context: Context = { ...options, questions: new Map() };
  try {
    const fits = testOf(query, context);
    const questions = [...context.questions.values()];
    // A question that the types do not allow cannot be answered either.
    for (const { query: asked } of questions) checkQuery(asked, options);
    return { questions, fits };
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

const NEVER: Test = () => false;

function testOf(query: Query, context: Context): Test {
  switch (query.kind) {
    case "all":
      return () => true;
    case "none":
      return NEVER;
    case "bool":
      return boolTest(query, context);
    case "terms":
      return fieldTest(query, context, termsTest);
    case "range":
      return fieldTest(query, context, rangeTest);
    case "exists":
      return fieldTest(query, context, existsTest);
    default:
      return question(query, context);
  }
}

function boolTest(query: BoolQuery, context: Context): Test {
  const testsOf = (queries: readonly Query[]) => queries.map((clause) => testOf(clause, context));
  const must = testsOf(query.must);
  const should = testsOf(query.should);
  const mustNot = testsOf(query.mustNot);
  const { minimum } = query;
  return (report, answers) => {
    for (const test of must) if (!test(report, answers)) return false;
    for (const test of mustNot) if (test(report, answers)) return false;
    if (minimum <= 0) return true;
    let fitting = 0;
    for (const test of should) if (test(report, answers)) fitting += 1;
    return fitting >= minimum;
  };
}

/** Adds the clause to the questions; its answer is given to the test. */
function question(query: Query, { questions }: Context): Test {
  const id = JSON.stringify(query, (key, value: unknown) => (key === "path" ? undefined : value));
  questions.set(id, { id, query });
  return (_report, answers) => answers.has(id);
}

/** Makes the test of a clause about a field of the report; undefined when only the engine can test it. */
type FieldTest<Node> = (field: FieldDefinition, query: Node, options: ReportTestOptions) => Test | undefined;

function fieldTest<Node extends FieldQuery>(query: Node, context: Context, make: FieldTest<Node>): Test {
  if (query.field.target !== context.target) return question(query, context);
  const field = resolveField(context.attributeTypes, context.target, query.field.key);
  if (field === undefined) return NEVER;
  const test = field.key === "segment_ids" ? undefined : make(field, query, context);
  return test ?? question(query, context);
}

function termsTest(field: FieldDefinition, { values, path }: TermsQuery, { now }: ReportTestOptions) {
  const { key, type } = field;
  switch (type) {
    case "string": {
      const texts = new Set(values.map(String));
      return (report: Report) => {
        const value = report[key];
        return isSet(value) && texts.has(storedText(value));
      };
    }
    case "numeric": {
      const numbers = new Set(values.map((value) => requireNumber(value, path)));
      return (report: Report) => {
        const number = storedNumber(report[key]);
        return number !== undefined && numbers.has(number);
      };
    }
    case "boolean": {
      const booleans = new Set(values.map((value) => requireBoolean(value, path)));
      return (report: Report) => {
        const value = report[key];
        return isSet(value) && booleans.has(storedBoolean(value));
      };
    }
    case "date": {
      const spans = values.map((value) => requireDate(value, path, { now }));
      return (report: Report) => {
        const time = storedTime(report[key]);
        return time !== undefined && spans.some(({ first, last }) => time >= first && time <= last);
      };
    }
    case "array": {
      const texts = new Set(values.map(String));
      return (report: Report) => storedElements(report[key]).some((text) => texts.has(text));
    }
    case "json":
      return undefined;
  }
}

const COMPARE: Readonly<Record<Bound, (value: number, limit: number) => boolean>> = {
  gt: (value, limit) => value > limit,
  gte: (value, limit) => value >= limit,
  lt: (value, limit) => value < limit,
  lte: (value, limit) => value <= limit,
};

function rangeTest(field: FieldDefinition, query: RangeQuery, { now }: ReportTestOptions) {
  const { key, type } = field;
  if (type !== "numeric" && type !== "date") return undefined;
  const limits = (Object.entries(query.bounds) as [Bound, string | number][]).map(([bound, value]) => {
    const path = `${query.path}.${bound}`;
    if (type === "numeric") return { compare: COMPARE[bound], limit: requireNumber(value, path) };
    const date = requireDate(value, path, { now, format: query.format, timeZone: query.timeZone });
    return { compare: COMPARE[bound], limit: bound === "gte" || bound === "lt" ? date.first : date.last };
  });
  const read = type === "numeric" ? storedNumber : storedTime;
  return (report: Report) => {
    const value = read(report[key]);
    return value !== undefined && limits.every(({ compare, limit }) => compare(value, limit));
  };
}

function existsTest({ key, type }: FieldDefinition, _query: ExistsQuery): Test {
  switch (type) {
    case "numeric":
      return (report) => storedNumber(report[key]) !== undefined;
    case "date":
      return (report) => storedTime(report[key]) !== undefined;
    case "array":
      return (report) => storedElements(report[key]).length > 0;
    default:
      return (report) => isSet(report[key]);
  }
}
