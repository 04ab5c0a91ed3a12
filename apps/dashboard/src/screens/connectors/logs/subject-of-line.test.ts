import { expect, test } from "vitest";
import { subjectOfLine } from "./subject-of-line.js";

test("the subject of a line is the one in its context", () => {
  expect(subjectOfLine({ context: { user_email: "ada@example.com", account_domain: "example.com" } })).toEqual({
    kind: "user",
    name: "ada@example.com",
    id: undefined,
  });
  expect(subjectOfLine({ account_id: "a1" })).toEqual({ kind: "account", name: "a1", id: "a1" });
  expect(subjectOfLine({ context: null, contacts: 3 })).toBeUndefined();
});
