import { expect, test } from "vitest";
import * as surface from "./index.js";

test("the public surface is what it says", () => {
  expect(Object.keys(surface).sort()).toEqual([
    "EVENT_OPERATORS",
    "LIMITS",
    "PROPERTY_OPERATORS",
    "QueryError",
    "STANDARD_FIELDS",
    "changesWithTime",
    "compileAggregations",
    "countStatement",
    "describeQuery",
    "explainStatement",
    "insertAccounts",
    "insertEvents",
    "insertMemberships",
    "insertUsers",
    "membershipChangesStatement",
    "membershipStatement",
    "parse",
    "parseAggregations",
    "parseSort",
    "predicateToQuery",
    "queryToPredicate",
    "readsOf",
    "reportTest",
    "resolveField",
    "searchStatement",
    "streamStatement",
    "tableStatements",
  ]);
});
