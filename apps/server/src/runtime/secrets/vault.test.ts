import fc from "fast-check";
import { expect, test } from "vitest";
import { createVault, equalSecrets } from "./vault.js";

const vault = createVault("a key");

test("a sealed value opens with the same key and context", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plain, context) => {
      expect(vault.open(vault.seal(plain, context), context)).toBe(plain);
    }),
  );
});

test("sealing twice gives two different values, and neither contains the plain text", () => {
  const [first, second] = [vault.seal("hunter2", "c"), vault.seal("hunter2", "c")];
  expect(first.equals(second)).toBe(false);
  expect(first.toString("latin1")).not.toContain("hunter2");
});

test("a value does not open with another context or another key", () => {
  const sealed = vault.seal("hunter2", "connector 1 secret");
  expect(() => vault.open(sealed, "connector 2 secret")).toThrow(/does not open/);
  expect(() => createVault("another key").open(sealed, "connector 1 secret")).toThrow(/SECRET_KEY/);
});

test("a value that was changed in any byte or shortened does not open", () => {
  const sealed = vault.seal("hunter2", "c");
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => vault.open(changed, "c")).toThrow();
    expect(() => vault.open(sealed.subarray(0, index), "c")).toThrow();
  }
});

test("secrets are equal only when all characters are", () => {
  expect(equalSecrets("abc", "abc")).toBe(true);
  for (const other of ["", "ab", "abd", "abcd", "ABC", "abc\u0000"]) expect(equalSecrets(other, "abc")).toBe(false);
});
