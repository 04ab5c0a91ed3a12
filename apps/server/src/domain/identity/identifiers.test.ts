import { expect, test } from "vitest";
import { claimedIdentifiers, identifierKeys, isStorableIdentifier, normalise } from "./identifiers.js";

test.each([
  ["email", " Ann@Example.COM ", "ann@example.com"],
  ["domain", "Acme.com", "acme.com"],
  ["domain", "https://www.acme.com/about?x=1#top", "acme.com"],
  ["domain", "http://acme.com:8080", "acme.com"],
  ["domain", " WWW.acme.com ", "acme.com"],
  ["domain", "www2.acme.com", "www2.acme.com"],
  ["domain", "https://", ""],
  ["external_id", " A-1 ", "A-1"],
  ["anonymous_id", "Cookie", "Cookie"],
] as const)("%s %j is normalised to %j", (kind, given, expected) => {
  expect(normalise(kind, given)).toBe(expected);
});

test("a long text is normalised in time that grows with its length", () => {
  const startedAt = performance.now();
  expect(normalise("domain", `acme.com${"/".repeat(300_000)}\nx`)).toBe("acme.com");
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

test("identifiers are listed strongest first, without empty ones", () => {
  const claims = { domain: "x.com", anonymous_id: "a", email: " ", external_id: "1" };
  expect(claimedIdentifiers("user", claims).map(({ kind }) => kind)).toEqual(["external_id", "anonymous_id", "domain"]);
  expect(claimedIdentifiers("account", claims).map(({ kind }) => kind)).toEqual([
    "external_id",
    "domain",
    "anonymous_id",
  ]);
});

test("an identifier that is too long for an index or has a NUL character cannot be stored", () => {
  const fits = "é".repeat(1_000);
  expect([fits, `${fits}x`, "a\0b"].map(isStorableIdentifier)).toEqual([true, false, false]);
});

test("an account cannot be identified by an email", () => {
  expect(claimedIdentifiers("account", { email: "a@example.com" } as object)).toEqual([]);
});

test("identifiers of different kinds with the same value have different keys", () => {
  expect(identifierKeys({ external_id: ["1"], anonymous_id: ["1", "2"] })).toEqual([
    "external_id 1",
    "anonymous_id 1",
    "anonymous_id 2",
  ]);
});
