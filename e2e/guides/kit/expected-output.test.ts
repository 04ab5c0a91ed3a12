import { describe, expect, test } from "vitest";
import { jsonProblem, textProblem } from "./expected-output.js";

describe("expected text", () => {
  test.each([
    ["b\nd", "a\nb\nc\nd\n"],
    ["ID … NAME\n…\n… default", "ID   NAMESPACE   NAME\n1  default\n"],
    ["took … ms of … ms", "took 3 ms of 20 ms"],
  ])("%j fits %j", (expected, output) => {
    expect(textProblem(expected, output)).toBeUndefined();
  });

  test.each([
    ["d\nb", "a\nb\nc\nd\n", 'the output has no line "b" after the lines before it.'],
    ["b", "abc", 'the output has no line "b".'],
    ["aa…aa", "aaa", 'the output has no line "aa…aa".'],
  ])("%j does not fit %j", (expected, output, problem) => {
    expect(textProblem(expected, output)).toBe(problem);
  });
});

describe("expected JSON", () => {
  test.each([
    ['{ "a": 1 }', '{"a":1,"b":2}'],
    ['{ "id": "…", "url": "http://…/x", "n": "…" }', '{"id":null,"url":"http://h/x","n":[1]}'],
    ['[{ "a": [1, 2] }]', '[{"a":[1,2],"b":0}]'],
    ['{ "a": 1 }', 'created\n{\n  "a": 1\n}\n'],
  ])("%s fits %j", (expected, output) => {
    expect(jsonProblem(expected, output)).toBeUndefined();
  });

  test.each([
    ['{ "a": { "b": 1 } }', '{"a":{"b":2}}', "$.a.b is 2, and not 1."],
    ['{ "a": 1 }', "{}", "$.a is missing."],
    ["[1]", "[1,2]", "$ is [1,2], and not [1]."],
    ["{}", "no", "the output does not end with a JSON document."],
  ])("%s does not fit %j", (expected, output, problem) => {
    expect(jsonProblem(expected, output)).toBe(problem);
  });
});
