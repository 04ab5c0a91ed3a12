import { expect, test } from "vitest";
import { parse } from "../parse/parse.js";
import { requiredValues } from "./required-values.js";

const ofUser = (query: object) =>
  requiredValues(parse(query, { target: "event" }), { target: "event", key: "user_id" });
const isAnn = { term: { user_id: "ann" } };
const isOrder = { term: { event: "Order" } };

test.each<[string, object, string[]]>([
  ["a clause", isAnn, ["ann"]],
  ["several values", { terms: { user_id: ["ann", "bob"] } }, ["ann", "bob"]],
  ["one of the clauses that must hold", { bool: { must: [isOrder], filter: [isAnn] } }, ["ann"]],
  ["a clause within one that must hold", { bool: { must: [{ bool: { filter: [isOrder, isAnn] } }] } }, ["ann"]],
  ["the only choice", { bool: { should: [isAnn], minimum_should_match: 1 } }, ["ann"]],
  ["the clause with the fewest values", { bool: { filter: [{ terms: { user_id: ["ann", "bob"] } }, isAnn] } }, ["ann"]],
])("%s says which values a field must have", (_, query, values) => {
  expect(ofUser(query)).toEqual(values);
});

test.each<[string, object]>([
  ["another field", isOrder],
  ["a choice", { bool: { should: [isAnn, isOrder], minimum_should_match: 1 } }],
  ["a denied clause", { bool: { must_not: [isAnn] } }],
  ["a range", { range: { user_id: { gte: "ann" } } }],
  ["the field of the row's user", { has_parent: { type: "user", query: { term: { user_id: "ann" } } } }],
])("%s does not limit the values of a field", (_, query) => {
  expect(ofUser(query)).toBeUndefined();
});
