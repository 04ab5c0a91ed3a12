import {
  type EventPredicate,
  type FieldType,
  type GroupPredicate,
  PROPERTY_OPERATORS,
  type Predicate,
  type PropertyPredicate,
  predicateToQuery,
} from "@muster/query";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asGroup, completePart, countIncomplete, isComplete } from "./clauses.js";
import { OPERATORS } from "./operators.js";
import { predicateSentence } from "./predicate-sentence.js";
import { readPredicate } from "./read-predicate.js";

const text = fc.string({ minLength: 1, maxLength: 12 });
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const bound = fc.oneof(text, fc.integer(), fc.constantFrom("2026-01-31", "now-30d"));
const span = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 9_999 }), fc.constantFrom("y", "M", "w", "d", "h", "m", "s"))
    .map(([n, u]) => `${n}${u}`),
  fc.integer({ min: 1, max: 365 }),
);
const type = fc.constantFrom<FieldType[]>("string", "numeric", "date", "boolean", "array", "json");

const property = fc.record(
  { key: text, type, entity: fc.constantFrom("user" as const, "account" as const) },
  { requiredKeys: ["key"] },
);

function clause(
  operators: readonly PropertyPredicate["operator"][],
  value?: fc.Arbitrary<unknown>,
): fc.Arbitrary<PropertyPredicate> {
  return fc
    .record({ property, operator: fc.constantFrom(...operators), value: value ?? fc.constant(undefined) })
    .map(({ value: given, ...rest }) => ({ ...rest, ...(given === undefined ? {} : { options: { value: given } }) }));
}

const anyProperty: fc.Arbitrary<PropertyPredicate> = fc.oneof(
  clause(["is_set", "is_not_set", "is_true", "is_false"]),
  clause(["equals", "not_equals"], fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }))),
  clause(["contains", "not_contains", "begins_with", "ends_with"], text),
  clause(["less_than", "at_most", "greater_than", "at_least", "before", "on_or_before", "after", "on_or_after"], bound),
  clause(["between"], fc.tuple(bound, bound)),
  clause(["in_last", "not_in_last", "in_next", "not_in_next"], span),
  clause(["in_segment", "not_in_segment"], fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 }))),
);

const count = fc.integer({ min: 1, max: 1_000 });
const eventParts = {
  event: fc.record({ name: text }),
  within: span,
  where: fc.array(anyProperty, { maxLength: 2 }),
};
const anyEvent: fc.Arbitrary<EventPredicate> = fc.oneof(
  fc.record(
    {
      ...eventParts,
      operator: fc.constantFrom("at_least", "at_most", "equals", "greater_than", "less_than", "is_set", "is_not_set"),
      count,
    },
    { requiredKeys: ["event"] },
  ),
  fc.record(
    { ...eventParts, operator: fc.constant("between" as const), count: fc.tuple(count, count) },
    { requiredKeys: ["event", "operator", "count"] },
  ),
);

/** Every form of predicate that the language has, in groups in groups. */
const anyPredicate: fc.Arbitrary<Predicate> = fc.letrec<{ group: GroupPredicate; any: Predicate }>((tie) => ({
  group: fc.record({
    type: fc.constantFrom("all", "any", "none"),
    predicates: fc.array(tie("any"), { maxLength: 4 }),
  }),
  any: fc.oneof({ maxDepth: 3, withCrossShrink: true }, anyProperty, anyEvent, tie("group")),
})).any;

describe("a predicate", () => {
  test("is shown as it is: nothing is changed or left out", () => {
    fc.assert(
      fc.property(anyPredicate, (predicate) => {
        const before = JSON.stringify(predicate);
        const read = readPredicate(predicate);
        expect(read).toEqual({ predicate });
        expect(JSON.stringify(completePart(asGroup(predicate)))).toBe(JSON.stringify(asGroup(predicate)));
        expect(JSON.stringify(predicate)).toBe(before);
      }),
    );
  });

  test("that the builder shows as complete is a query, and a sentence", () => {
    fc.assert(
      fc.property(anyPredicate, fc.constantFrom("user" as const, "account" as const), (predicate, target) => {
        expect(countIncomplete(asGroup(predicate))).toBe(0);
        predicateToQuery(predicate, { target });
        expect(predicateSentence(predicate, { target })).toMatch(/^(Users|Accounts|All) /);
      }),
    );
  });

  test("of any other JSON is shown unchanged, or refused with the place", () => {
    const almost = fc.record(
      {
        type: fc.oneof(fc.constantFrom("all", "any", "none"), fc.jsonValue()),
        predicates: fc.array(fc.oneof(anyPredicate, fc.jsonValue()), { maxLength: 3 }),
        property: fc.jsonValue(),
        operator: fc.oneof(fc.constantFrom(...PROPERTY_OPERATORS), fc.jsonValue()),
        options: fc.jsonValue(),
        event: fc.jsonValue(),
        count: fc.jsonValue(),
        where: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(almost, fc.jsonValue()), (json) => {
        const read = readPredicate(json);
        if ("predicate" in read) expect(read.predicate).toBe(json);
        else expect([read.path.startsWith("predicate"), read.reason]).toEqual([true, expect.stringMatching(/./)]);
      }),
    );
  });

  test.for<[string, unknown, string, string]>([
    ["an unknown group", { type: "some", predicates: [] }, "predicate.type", "expected one of all, any, none"],
    [
      "an unknown operator",
      { type: "all", predicates: [{ property: { key: "a" }, operator: "like" }] },
      "predicate.predicates.0.operator",
      "expected one of equals",
    ],
    ["a part that is not known", { event: { name: "A" }, boost: 2 }, "predicate.boost", "is not known"],
    [
      "a value that no input shows",
      { property: { key: "a" }, operator: "equals", options: { value: { b: 1 } } },
      "predicate.options.value",
      "expected a text, a number, true or false",
    ],
    ["a list", [], "predicate", "expected an object"],
  ])("with %s is refused", ([, json, path, reason]) => {
    expect(readPredicate(json)).toEqual({ path, reason: expect.stringContaining(reason) });
  });
});

describe("a clause without its value", () => {
  const clauses: Predicate[] = PROPERTY_OPERATORS.filter((operator) => OPERATORS[operator].value !== "none").map(
    (operator) => ({ property: { key: "plan" }, operator }),
  );

  test.for(clauses)("is not asked about: %j", (clause) => {
    expect(isComplete(clause)).toBe(false);
    const group = { type: "all" as const, predicates: [clause, { event: { name: "A" }, where: [] }] };
    expect(completePart(group)).toEqual({ type: "all", predicates: [{ event: { name: "A" }, where: [] }] });
    expect(countIncomplete(group)).toBe(1);
  });
});
