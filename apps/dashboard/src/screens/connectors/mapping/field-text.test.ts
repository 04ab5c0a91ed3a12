import { describe, expect, test } from "vitest";
import { isJsonValue, textOfValue, valueOfText } from "./field-text.js";

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

  test.each([
    [
      "{{traits.email ?? properties.email}}",
      '{"@if":{"exists":{"@path":"$.traits.email"},"then":{"@path":"$.traits.email"},"else":{"@path":"$.properties.email"}}}',
    ],
    [
      "{{a ?? b ?? c}}",
      '{"@if":{"exists":{"@path":"$.a"},"then":{"@path":"$.a"},"else":{"@if":{"exists":{"@path":"$.b"},"then":{"@path":"$.b"},"else":{"@path":"$.c"}}}}}',
    ],
  ])("%s is the first that there is", (text, json) => {
    expect(JSON.stringify(valueOfText(text, "string"))).toBe(json);
    expect(textOfValue(JSON.parse(json))).toBe(text);
  });

  test.each([
    '{"@if":{"exists":{"@path":"$.a"},"then":{"@path":"$.b"},"else":{"@path":"$.c"}}}',
    '{"@if":{"exists":{"@path":"$.a"},"then":{"@path":"$.a"},"else":"none"}}',
    '{"@if":{"exists":{"@path":"$.a"},"then":{"@path":"$.a"}}}',
    '{"@if":{"blank":{"@path":"$.a"},"then":{"@path":"$.a"},"else":{"@path":"$.b"}}}',
    '{"@path":"$.a","@if":{"exists":{"@path":"$.a"},"then":{"@path":"$.a"},"else":{"@path":"$.b"}}}',
  ])("a condition of another kind stays as it is: %s", (text) => {
    const value = valueOfText(text, "string");
    expect(textOfValue(value)).toBe(text);
    expect(isJsonValue(value)).toBe(true);
  });

  test("JSON that is not whole yet is a text", () => {
    expect(valueOfText('{"a":', "object")).toBe('{"a":');
  });
});
