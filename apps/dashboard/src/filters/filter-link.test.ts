import { expect, test } from "vitest";
import { attributeFilter, eventFilter, filterSearch } from "./filter-link.js";

const plan = { key: "traits_plan", type: "string", subjectType: "user" } as const;

test("a filter of an attribute asks for any value, or for one", () => {
  expect(attributeFilter(plan)).toEqual({
    type: "all",
    predicates: [{ property: { key: "traits_plan", type: "string", entity: "user" }, operator: "is_set" }],
  });
  expect(attributeFilter(plan, "pro").predicates).toEqual([
    {
      property: { key: "traits_plan", type: "string", entity: "user" },
      operator: "equals",
      options: { value: "pro" },
    },
  ]);
});

test("a filter fits the type of the attribute", () => {
  const operatorOf = (type: string, value: string | boolean) =>
    attributeFilter({ ...plan, type }, value).predicates.map((predicate) => Reflect.get(predicate, "operator"));
  expect([operatorOf("boolean", true), operatorOf("boolean", "false"), operatorOf("array", "fr")]).toEqual([
    ["is_true"],
    ["is_false"],
    ["contains"],
  ]);
});

test("a filter is JSON in the address", () => {
  expect(JSON.parse(filterSearch(eventFilter("Ordered")).filter)).toEqual({
    type: "all",
    predicates: [{ event: { name: "Ordered" }, operator: "at_least", count: 1 }],
  });
});
