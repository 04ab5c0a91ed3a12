import { withoutUserAttributePrefix } from "@muster/protocol";
import { isRelativeDate } from "../dates/date-math.js";
import { fieldName } from "../parse/parse-field.js";
import type {
  BoolQuery,
  Bound,
  Field,
  FieldQuery,
  HasEventsQuery,
  Query,
  QueryKind,
  RangeQuery,
  TermsQuery,
} from "../query.js";
import type { Target } from "../target.js";

export interface DescribeOptions {
  /** The target of the query. */
  readonly target: Target;
  /** The name of a segment by its id, for readers who know segments by name. */
  readonly segmentName?: (id: string) => string | undefined;
  /** What people call a field. Without it, and where it has no answer, the description has the name of the field. */
  readonly labelOf?: (field: Field) => string | undefined;
}

type Describer<Kind extends QueryKind> = (query: Extract<Query, { kind: Kind }>, options: DescribeOptions) => string;

const EVERYTHING: Readonly<Record<Target, string>> = {
  user: "everybody",
  account: "every account",
  event: "every event",
};
const NOTHING: Readonly<Record<Target, string>> = { user: "nobody", account: "no account", event: "no event" };

const BOUND_WORDS: Readonly<Record<Bound, string>> = {
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
};

const DATE_BOUND_WORDS: Readonly<Record<Bound, string>> = {
  gt: "is later than",
  gte: "is at the earliest",
  lt: "is earlier than",
  lte: "is at the latest",
};

const UNITS: Readonly<Record<string, string>> = {
  y: "year",
  M: "month",
  w: "week",
  d: "day",
  h: "hour",
  H: "hour",
  m: "minute",
  s: "second",
};

const DESCRIBERS: { readonly [Kind in QueryKind]: Describer<Kind> } = {
  all: (_, { target }) => EVERYTHING[target],
  none: (_, { target }) => NOTHING[target],
  bool: describeBool,
  terms: (query, options) => describeTerms(query, options, false),
  range: describeRange,
  exists: (query, options) => `${nameOf(query, options)} is set`,
  prefix: (query, options) => `${nameOf(query, options)} begins with ${quoted(query.value)}`,
  wildcard: (query, options) => `${nameOf(query, options)} looks like ${quoted(query.pattern)}`,
  regexp: (query, options) => `${nameOf(query, options)} fits /${query.pattern}/`,
  match: (query, options) => {
    const { words, minimum, mode } = query;
    if (mode !== "words" || words.length === 1) return `${nameOf(query, options)} mentions ${quoted(query.text)}`;
    const how = minimum === words.length ? "all" : minimum === 1 ? "any" : `at least ${minimum}`;
    return `${nameOf(query, options)} mentions ${how} of ${quoted(query.text)}`;
  },
  has_events: describeEvents,
  has_parent: (query, options) => {
    const whose = query.parent === "account" ? "the account" : "the user";
    return `${whose} has: ${describeQuery(query.query, { ...options, target: query.parent })}`;
  },
};

/** The query as an English sentence, without a capital letter and full stop. */
export function describeQuery(query: Query, options: DescribeOptions): string {
  // The table has the right function for each kind; TypeScript cannot infer that for a union.
  const describe = DESCRIBERS[query.kind] as (query: Query, options: DescribeOptions) => string;
  return describe(query, options);
}

function describeBool(query: BoolQuery, options: DescribeOptions): string {
  const parts = query.must.filter((clause) => clause.kind !== "all").map((clause) => grouped(clause, options));
  if (query.minimum > 0) parts.push(describeChoice(query, options));
  parts.push(...query.mustNot.map((clause) => describeNot(clause, options)));
  return parts.length === 0 ? EVERYTHING[options.target] : parts.join(" and ");
}

function describeChoice({ should, minimum }: BoolQuery, options: DescribeOptions): string {
  const choices = should.map((clause) => grouped(clause, options));
  if (choices.length < minimum || choices.length === 0) return NOTHING[options.target];
  if (minimum === choices.length) return choices.join(" and ");
  return minimum === 1 ? `(${choices.join(" or ")})` : `at least ${minimum} of (${choices.join(", ")})`;
}

function describeNot(query: Query, options: DescribeOptions): string {
  if (query.kind === "exists") return `${nameOf(query, options)} is not set`;
  if (query.kind === "terms") return describeTerms(query, options, true);
  if (query.kind === "has_events" && query.min === 1 && query.max === undefined) {
    return describeEvents(query, options).replace(/^did /, "did not do ");
  }
  return `not (${describeQuery(query, options)})`;
}

/** In brackets when the description holds an "and" or "or" that could be read with its neighbours. */
function grouped(query: Query, options: DescribeOptions): string {
  const text = describeQuery(query, options);
  return query.kind === "bool" && / and /.test(text) && !text.startsWith("(") ? `(${text})` : text;
}

function describeTerms(query: TermsQuery, options: DescribeOptions, negated: boolean): string {
  if (query.field.key === "segment_ids") {
    const names = query.values.map((id) => quoted(options.segmentName?.(String(id)) ?? String(id)));
    const owner = query.field.target === options.target ? "" : `the ${query.field.target} `;
    const which = names.length === 1 ? "the segment" : "one of the segments";
    return `${owner}is ${negated ? "not " : ""}in ${which} ${names.join(", ")}`;
  }
  const values = query.values.map((value) => (typeof value === "string" ? quoted(value) : String(value)));
  const verb = negated ? "is not" : "is";
  return values.length === 1
    ? `${nameOf(query, options)} ${verb} ${values[0]}`
    : `${nameOf(query, options)} ${verb} one of ${values.join(", ")}`;
}

function describeRange(query: RangeQuery, options: DescribeOptions): string {
  const name = nameOf(query, options);
  const entries = Object.entries(query.bounds);
  const window = windowOf(query);
  if (window !== undefined) return `${name} is in the ${window}`;
  const words = (bound: Bound, value: string | number) =>
    `${typeof value === "number" ? BOUND_WORDS[bound] : DATE_BOUND_WORDS[bound]} ${shownBound(value)}`;
  // `Object.entries` forgets that the keys are bounds.
  return `${name} ${entries.map(([bound, value]) => words(bound as Bound, value)).join(" and ")}`;
}

/** `last 30 days` for a range from 30 days ago, until now or without an end, and `next 3 days` for one from now on. */
function windowOf(query: RangeQuery): string | undefined {
  const { gte, gt, lte, lt } = query.bounds;
  const [from, to] = [String(gte ?? gt), lte ?? lt];
  const isFuture = from === "now" && to !== undefined;
  if (!isFuture && to !== undefined && to !== "now") return undefined;
  const [, sign, count, unit] =
    /^now([+-])(\d+)([yMwdhHms])(?:\/[yMwdhHms])?$/.exec(isFuture ? String(to) : from) ?? [];
  if (unit === undefined || (sign === "+") !== isFuture) return undefined;
  return `${isFuture ? "next" : "last"} ${spanText(count, unit)}`;
}

function spanText(count: string | undefined, unit: string): string {
  return `${count} ${UNITS[unit]}${count === "1" ? "" : "s"}`;
}

/** A bound for people: `now-1d` is "1 day ago", `now+3d` is "in 3 days". Longer date math stays as it is written. */
function shownBound(value: string | number): string {
  if (typeof value === "number") return String(value);
  const [, sign, count, unit] = /^now(?:([+-])(\d+)([yMwdhHms]))?(?:\/[yMwdhHms])?$/.exec(value) ?? [];
  if (unit !== undefined) return sign === "-" ? `${spanText(count, unit)} ago` : `in ${spanText(count, unit)}`;
  return value === "now" || isRelativeDate(value) ? value : quoted(value);
}

function describeEvents(query: HasEventsQuery, options: DescribeOptions): string {
  const { name, rest: others } = splitEventName(query.query);
  const { window, rest } = splitWindow(others);
  const did = name === undefined ? "did any event" : `did ${quoted(name)}`;
  const ofEvent: DescribeOptions = { ...options, target: "event", labelOf: labelOfProperty };
  const where =
    rest.kind === "all" || (rest.kind === "bool" && isEmpty(rest)) ? "" : ` where ${describeQuery(rest, ofEvent)}`;
  return `${did}${times(query)}${window === undefined ? "" : ` in the ${window}`}${where}`;
}

/** A property of an event is called by its name alone. */
function labelOfProperty({ target, key }: Field): string | undefined {
  return target === "event" && key.startsWith(PROPERTIES) ? key.slice(PROPERTIES.length) : undefined;
}

const PROPERTIES = "properties.";

function times({ min, max }: HasEventsQuery): string {
  if (max === undefined) return min === 1 ? "" : ` at least ${min} times`;
  if (max === 0) return " never";
  if (min === max) return ` exactly ${min} ${min === 1 ? "time" : "times"}`;
  return min === 0 ? ` at most ${max} times` : ` ${min} to ${max} times`;
}

/** The name of the one event that the query is about, and its other conditions. */
function splitEventName(query: Query): { name: string | undefined; rest: Query } {
  const nameIn = (node: Query) =>
    node.kind === "terms" && node.field.key === "event" && node.values.length === 1
      ? String(node.values[0])
      : undefined;
  const alone = nameIn(query);
  if (alone !== undefined) return { name: alone, rest: { kind: "all", path: query.path } };
  if (query.kind !== "bool") return { name: undefined, rest: query };
  const found = query.must.find((clause) => nameIn(clause) !== undefined);
  if (found === undefined) return { name: undefined, rest: query };
  return { name: nameIn(found), rest: { ...query, must: query.must.filter((clause) => clause !== found) } };
}

/** The time in which the events must have happened, when one condition is about that alone, and the other conditions. */
function splitWindow(query: Query): { window: string | undefined; rest: Query } {
  const windowIn = (node: Query) =>
    node.kind === "range" && node.field.target === "event" && node.field.key === "created_at"
      ? windowOf(node)
      : undefined;
  const alone = windowIn(query);
  if (alone !== undefined) return { window: alone, rest: { kind: "all", path: query.path } };
  if (query.kind !== "bool") return { window: undefined, rest: query };
  const found = query.must.find((clause) => windowIn(clause) !== undefined);
  if (found === undefined) return { window: undefined, rest: query };
  return { window: windowIn(found), rest: { ...query, must: query.must.filter((clause) => clause !== found) } };
}

function isEmpty({ must, mustNot, minimum }: BoolQuery): boolean {
  return must.length === 0 && mustNot.length === 0 && minimum === 0;
}

function nameOf(query: FieldQuery, options: DescribeOptions): string {
  const label = options.labelOf?.(query.field);
  if (label !== undefined)
    return query.field.target === options.target ? label : `the ${query.field.target}'s ${label}`;
  const name = fieldName(query.field, options.target);
  return query.field.target === "user" ? withoutUserAttributePrefix(name) : name;
}

function quoted(text: string): string {
  return `"${text}"`;
}
