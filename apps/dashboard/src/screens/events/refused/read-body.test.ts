import { expect, test } from "vitest";
import { readBody } from "./read-body.js";

test("an edited payload is an object, or the problem is told", () => {
  expect(readBody('{ "age": 31 }')).toEqual({ body: { age: 31 } });
  expect(readBody("[1]").problem).toBe("The payload must be an object.");
  expect(readBody("{").problem).toMatch(/^This is not JSON: /);
});
