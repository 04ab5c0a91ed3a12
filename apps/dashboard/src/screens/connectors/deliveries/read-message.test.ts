import { expect, test } from "vitest";
import { readMessage } from "./read-message.js";

test("a message is read from its text", () => {
  expect(readMessage('{"kind":"user"}')).toEqual({ message: { kind: "user" } });
});

test("a text that is no message says where the problem is", () => {
  expect(readMessage("[]").problem).toEqual({ line: 1, message: "The message must be an object." });
  expect(readMessage('{\n  "a": 1,\n  b\n}').problem?.line).toBe(3);
});
