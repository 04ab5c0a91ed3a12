import { expect, test } from "vitest";
import { fieldChanges, pathWords, valueWords } from "./field-changes.js";

test("each field that has changed is a line", () => {
  expect(fieldChanges({ name: "A", settings: { size: 1 } }, { name: "B", settings: { size: 2, tags: ["x"] } })).toEqual(
    [
      { path: "name", before: "A", after: "B" },
      { path: "settings.size", before: "1", after: "2" },
      { path: "settings.tags", before: undefined, after: '["x"]' },
    ],
  );
});

test("an action without a record before has only new values", () => {
  expect(fieldChanges(null, { role: "viewer" })).toEqual([{ path: "role", before: undefined, after: "viewer" }]);
  expect(fieldChanges(null, null)).toEqual([]);
});

test("places and values are told in words, with names in place of ids", () => {
  expect(["private_settings.api_key", "query.term.traits_plan", "enabled", "home_place"].map(pathWords)).toEqual([
    "Private settings › api key",
    "Filter › term › plan",
    "Switched on",
    "Home place",
  ]);
  const id = "018f6d2b4c0020a1b2000001";
  expect(valueWords(`["${id}","018f6d2b4c0020a1b2000002"]`, new Map([[id, "Buyers"]]))).toBe(
    '["Buyers","018f6d2b4c0020a1b2000002"]',
  );
  expect(valueWords("a".repeat(400), new Map())).toHaveLength(301);
});
