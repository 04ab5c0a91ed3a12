import { expect, test } from "vitest";
import { fieldChanges } from "./field-changes.js";

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
