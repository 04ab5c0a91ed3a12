import { expect, test } from "vitest";
import type { Entry } from "../entries/entry.js";
import { ErasedSubjects } from "./erased-subjects.js";
import { PastErasures } from "./past-erasures.js";

const USER = "000000000000100000000001";
const ACCOUNT = "000000000000110000000001";
const erasedAt = new Date("2026-05-01T12:00:00Z");
const before = new Date("2026-05-01T11:00:00Z");
const after = new Date("2026-05-01T13:00:00Z");
const erased = new ErasedSubjects([
  { id: USER, identifiers: ["email ann@example.com", "anonymous_id c"], erasedAt },
  { id: ACCOUNT, identifiers: ["domain acme.com"], erasedAt },
]);
const entry = (claims: Pick<Entry, "user" | "account">) =>
  ({ type: "traits", subject: "user", body: {}, ...claims }) as Entry;

test.each<[Pick<Entry, "user" | "account">]>([
  [{ user: { email: " Ann@Example.com" } }],
  [{ user: { external_id: "other", anonymous_id: "c" } }],
  [{ user: { id: USER } }],
  [{ user: { external_id: "kept" }, account: { domain: "www.acme.com" } }],
])("erased subjects are named in an entry about %o", (claims) => {
  expect(erased.areNamedIn(entry(claims), before)).toBe(true);
});

test.each<[Pick<Entry, "user" | "account">]>([
  [{ user: { email: "bob@example.com" } }],
  [{ user: { external_id: "c" } }],
  [{ user: { domain: "acme.com" } }],
  [{ account: { anonymous_id: "c" } }],
])("erased subjects are not named in an entry about %o", (claims) => {
  expect(erased.areNamedIn(entry(claims), before)).toBe(false);
});

test("an identifier in an entry received after the erasure means somebody new; the id always means the erased subject", () => {
  expect(erased.areNamedIn(entry({ user: { email: "ann@example.com" } }), after)).toBe(false);
  expect(erased.areNamedIn(entry({ user: { id: USER } }), after)).toBe(true);
});

test.each([
  [{ email: "ann@example.com" }],
  [{ email: { value: "Ann@example.com" } }],
  [{ traits_email: { value: "ann@example.com", operation: "setIfNull" } }],
  [{ email: "bob@example.com", traits_email: "ann@example.com" }],
  [{ email: 5, traits_email: "ann@example.com" }],
])("erased subjects are named by the attributes %o", (body) => {
  const given = { ...entry({ user: { external_id: "other" } }), body } as Entry;
  expect(erased.areNamedIn(given, before)).toBe(true);
  const past = new PastErasures({ hash: (text) => text, known: new Map(), receivedAt: () => before.getTime() });
  past.note({ ...given, at: erasedAt.getTime() }, "user", [], ["email ann@example.com"]);
  expect(past.withoutErased({ ...given, at: before.getTime() })).toBeUndefined();
});
