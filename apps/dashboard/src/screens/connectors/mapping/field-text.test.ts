import { describe, expect, test } from "vitest";
import { textOfValue, valueOfText } from "./field-text.js";

describe("the value of a field as text", () => {
  test.each([
    ["", "string", undefined],
    ["general", "string", "general"],
    ["{{traits.email}}", "string", { "@path": "$.traits.email" }],
    ["Hello {{traits.name}}", "string", { "@template": "Hello {{traits.name}}" }],
    ["12", "number", 12],
    ["12", "string", "12"],
    ["true", "boolean", true],
    ['{"@case":{"operator":"lower","value":"A"}}', "string", { "@case": { operator: "lower", value: "A" } }],
    ['["a"]', "string", ["a"]],
  ])("%j is read, and written as it was", (text, type, value) => {
    expect(valueOfText(text, type)).toEqual(value);
    expect(textOfValue(value)).toBe(text);
  });

  test("JSON that is not whole yet is a text", () => {
    expect(valueOfText('{"a":', "object")).toBe('{"a":');
  });
});
