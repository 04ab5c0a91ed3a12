import { expect, test } from "vitest";
import { subjectOf } from "./subject-of.js";

test("the strongest identifier says whom an entry is about", () => {
  expect(subjectOf({ user: { anonymous_id: "b", email: "ann@example.com" }, account: null })).toBe("ann@example.com");
  expect(subjectOf({ user: null, account: { domain: "acme.example" } })).toBe("acme.example");
  expect(subjectOf({ user: null, account: null })).toBeUndefined();
});
