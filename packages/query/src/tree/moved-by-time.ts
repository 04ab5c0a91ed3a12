import { MUSTER_SOURCE } from "@muster/protocol";
import { isRelativeDate, readDateMath } from "../dates/date-math.js";
import { allOf, anyOf, childrenOf, type Field, isFieldQuery, type Query, type RangeQuery } from "../query.js";
import { eventNamesOf } from "./query-dependencies.js";

/** A span of time. It may run backwards, when a clock was set. */
export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/**
 * A query that finds everybody for whom one of the queries may have got another answer while the time went on and no data
 * changed. `now-7d` is another moment by then, and what lies between the two moments decides: nobody else has a value
 * that was compared with another result. Undefined when nobody can have another answer.
 */
export function movedByTime(queries: readonly Query[], span: TimeSpan): Query | undefined {
  const found = new Crossings();
  for (const query of queries) collect(query, span, found);
  return found.query();
}

/** Tests of fields against spans of time. Equal ones of different queries become one. */
class Crossings {
  readonly #own = new Map<string, Query>();
  /** By the test of the event: the names of the events that it is about. Undefined: of any name. */
  readonly #ofEvents = new Map<string, { test: Query; names: Set<string> | undefined }>();

  add(test: Query): void {
    this.#own.set(keyOf(test), test);
  }

  addToEvents(test: Query, names: readonly string[] | undefined): void {
    const key = keyOf(test);
    const known = this.#ofEvents.get(key);
    const isAny = names === undefined || (known !== undefined && known.names === undefined);
    this.#ofEvents.set(key, { test, names: isAny ? undefined : new Set([...(known?.names ?? []), ...names]) });
  }

  query(): Query | undefined {
    const tests = [...this.#own.values()];
    const ofEvents = [...this.#ofEvents.values()].flatMap(({ test, names }) =>
      names === undefined
        ? // Events that Muster makes itself count only where they are named.
          [test, allOf(PATH, [eventField("source", [MUSTER_SOURCE]), test])]
        : [allOf(PATH, [eventField("event", [...names]), test])],
    );
    if (ofEvents.length > 0) {
      tests.push({ kind: "has_events", path: PATH, query: anyOf(PATH, ofEvents), min: 1, max: undefined });
    }
    return tests.length === 0 ? undefined : anyOf(PATH, tests);
  }
}

const PATH = "";

function eventField(key: string, values: readonly string[]): Query {
  return { kind: "terms", path: PATH, field: { target: "event", key, exact: true }, values };
}

function keyOf(query: Query): string {
  return JSON.stringify(query);
}

function collect(query: Query, span: TimeSpan, found: Crossings): void {
  for (const test of crossed(query, span)) found.add(test);
  if (query.kind === "bool") for (const child of childrenOf(query)) collect(child, span, found);
  if (query.kind === "has_events") {
    const names = eventNamesOf(query.query);
    for (const test of testsWithin(query.query, span)) found.addToEvents(test, names);
  }
  if (query.kind === "has_parent") {
    for (const test of testsWithin(query.query, span)) found.add({ ...query, query: test });
  }
}

/** The tests of a query about other rows: of events, or of a parent. */
function testsWithin(query: Query, span: TimeSpan): Query[] {
  if (query.kind === "has_parent") return testsWithin(query.query, span).map((test) => ({ ...query, query: test }));
  if (query.kind === "has_events") {
    return testsWithin(query.query, span).map((test) => ({ ...query, query: test, min: 1, max: undefined }));
  }
  return [...crossed(query, span), ...childrenOf(query).flatMap((child) => testsWithin(child, span))];
}

/** For each relative date that a clause compares a field with: whether the field is in the span that the date has passed. */
function crossed(query: Query, span: TimeSpan): RangeQuery[] {
  if (!isFieldQuery(query)) return [];
  const { field } = query;
  switch (query.kind) {
    case "range":
      return Object.values(query.bounds).flatMap((value) => passed(field, value, span, query));
    case "terms":
      return query.values.flatMap((value) => passed(field, value, span));
    case "match":
      return passed(field, query.text, span);
    default:
      return [];
  }
}

function passed(
  field: Field,
  value: unknown,
  { from, to }: TimeSpan,
  { format, timeZone }: Partial<Pick<RangeQuery, "format" | "timeZone">> = {},
): RangeQuery[] {
  if (typeof value !== "string" || !isRelativeDate(value)) return [];
  const before = readDateMath(value, { now: from, format, timeZone });
  const after = readDateMath(value, { now: to, format, timeZone });
  if (!before || !after) return [];
  // A date that is rounded to a day stays the same until the day ends.
  if (before.first === after.first && before.last === after.last) return [];
  const at = (ms: number) => new Date(ms).toISOString();
  const bounds = { gte: at(Math.min(before.first, after.first)), lte: at(Math.max(before.last, after.last)) };
  return [{ kind: "range", path: PATH, field, bounds, format: undefined, timeZone: undefined }];
}
