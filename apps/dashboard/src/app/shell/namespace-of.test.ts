import { expect, test } from "vitest";
import { namespaceOf } from "./namespace-of.js";

test.each([
  ["Café Zoë & Co.", "cafe-zoe-co"],
  ["  Acme 2 ", "acme-2"],
  ["東京", ""],
])("the namespace for %s", (name, namespace) => {
  expect(namespaceOf(name)).toBe(namespace);
});
