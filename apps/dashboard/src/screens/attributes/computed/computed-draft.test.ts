import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { type PropertyPredicate, parse, predicateToQuery, queryToPredicate } from "@muster/query";
import { describe, expect, test } from "vitest";
import {
  type ComputedDraft,
  computeOf,
  draftOf,
  eventQueryOf,
  filterOf,
  newDraft,
  queryWithEvent,
  withFilter,
  withSource,
} from "./computed-draft.js";

const AMOUNT: PropertyPredicate = {
  property: { key: "amount", type: "numeric", entity: "event" },
  operator: "greater_than",
  options: { value: 10 },
};
const COUPON: PropertyPredicate = { property: { key: "coupon", entity: "event" }, operator: "is_set" };
const orders: ComputedDraft = { ...newDraft("user"), aggregate: "sum", event: "Order", property: "amount" };

/** What the API does with a predicate of users, and back. */
const toQuery = (predicate: unknown) => predicateToQuery(predicate, { target: "user" });
const toPredicate = (query: unknown) =>
  queryToPredicate(parse(query, { target: "user" }), {
    target: "user",
    attributeTypes: { typeOf: () => undefined },
  }) ?? null;

const saved = (compute: ComputedAttribute["compute"], target: "user" | "account" = "user") =>
  ({ name: "spent", description: "", target, compute }) as ComputedAttribute;

describe("a definition in the form", () => {
  test("is complete when it has all that it needs", () => {
    expect(computeOf(newDraft("user"), undefined)).toBe(undefined);
    expect(computeOf({ ...orders, property: " " }, undefined)).toBe(undefined);
    expect(computeOf(orders, undefined)).toEqual({ sum: { event: "Order", property: "amount" } });
    expect(computeOf({ ...orders, aggregate: "count", within: "30d" }, undefined)).toEqual({
      count: { event: "Order", within: "30d" },
    });
    expect(computeOf({ ...orders, target: "account" }, undefined)).toEqual({
      over_users: { sum: { event: "Order", property: "amount" } },
    });
    const share = { ...withSource(newDraft("account"), "users"), aggregate: "share" as const };
    expect(computeOf(share, undefined)).toBe(undefined);
    expect(computeOf(share, { exists: { field: "email" } })).toEqual({
      over_users: { share: { where: { exists: { field: "email" } } } },
    });
    expect(computeOf({ ...newDraft("user"), source: "formula", formula: "1 + 1" }, undefined)).toEqual({
      formula: "1 + 1",
    });
  });

  test.each([[[AMOUNT]], [[AMOUNT, COUPON]]])(
    "keeps its conditions on events when it is saved and opened",
    (conditions) => {
      const filter = filterOf({ ...orders, conditions });
      const where = eventQueryOf(toQuery({ type: "all", predicates: [filter] }));
      const compute = computeOf({ ...orders, conditions }, where);
      const opened = draftOf(saved(compute ?? {}));
      const back = withFilter(opened.draft, where, toPredicate(queryWithEvent("Order", opened.where ?? {})));
      expect(back.otherWhere).toBe(undefined);
      expect(computeOf(back, eventQueryOf(toQuery(filterOf(back))))).toEqual(compute);
      expect(back.conditions.length).toBe(conditions.length);
    },
  );

  test("keeps a filter that the builder cannot show as it is", () => {
    const where = { query_string: { query: "amount" } };
    const opened = draftOf(saved({ count: { event: "Order", where } }));
    const back = withFilter(opened.draft, where, null);
    expect(back.otherWhere).toEqual(where);
    expect(computeOf(back, back.otherWhere)).toEqual({ count: { event: "Order", where } });
  });

  test("of the users of an account keeps its filter", () => {
    const where = { term: { plan: "pro" } };
    const { draft } = draftOf(saved({ over_users: { count: { where } } }, "account"));
    const back = withFilter(draft, where, toPredicate(where));
    expect(filterOf(back)).toMatchObject({ predicates: [{ operator: "equals", options: { value: "pro" } }] });
  });
});
