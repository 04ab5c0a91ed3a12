import { expect, test } from "vitest";
import { readOfferedOptions } from "./offered-options.js";

test("options are read with their labels and groups", () => {
  const answer = {
    options: [
      { value: "a", label: "First" },
      { label: "More", options: [{ value: 2, label: "Second" }, "third"] },
    ],
  };
  expect(readOfferedOptions(answer)).toEqual([
    { value: "a", label: "First", group: null },
    { value: 2, label: "Second", group: "More" },
    { value: "third", label: "third", group: "More" },
  ]);
});

test("a list without an object around it is read, and entries without a value are left out", () => {
  expect(readOfferedOptions(["x", null, { label: "No value" }, { value: false }])).toEqual([
    { value: "x", label: "x", group: null },
    { value: false, label: "false", group: null },
  ]);
});

test.each([[{}], [null], ["text"], [{ options: "none" }]])("%j holds no options", (answer) => {
  expect(readOfferedOptions(answer)).toBeUndefined();
});

test("groups that are nested without end are read as far as people can see them", () => {
  const text = `${'[{"value":"v","options":'.repeat(50_000)}[]${"}]".repeat(50_000)}`;
  expect(readOfferedOptions(JSON.parse(text))).toHaveLength(11);
});
