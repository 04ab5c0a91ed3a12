import { expect, test } from "vitest";
import { isNamespace, organizationReference } from "./organization-reference.js";

test.each([
  [undefined, "acme.muster.test", "acme"],
  [undefined, "acme.muster.test:8080", "acme"],
  [undefined, "ACME.Muster.Test", "acme"],
  [undefined, "www.acme.muster.test", "acme"],
  [undefined, "muster.test", "default"],
  [undefined, ".muster.test", "default"],
  [undefined, "firehose.muster.test", "default"],
  [undefined, "127.0.0.1:8080", "default"],
  [undefined, "[::1]:8080", "default"],
  [undefined, "localhost", "default"],
  [undefined, "acme.elsewhere.test", "default"],
  [undefined, "evilmuster.test", "default"],
  [undefined, "", "default"],
  [undefined, undefined, "default"],
  ["acme", "globex.muster.test", "acme"],
  [" acme ", undefined, "acme"],
  ["acme.muster.test:443", undefined, "acme"],
  ["0123456789ab0123456789ab", undefined, "0123456789ab0123456789ab"],
  ["127.0.0.1:8080", "acme.muster.test", "default"],
  ["localhost", "acme.muster.test", "default"],
  ["", "acme.muster.test", "acme"],
])("the header %j at host %j means organization %j", (header, host, expected) => {
  expect(organizationReference(header, host, "muster.test")).toBe(expected);
});

test.each(["a", "acme", "acme-eu", "7up", "a".repeat(63)])("%j can be a namespace", (value) => {
  expect(isNamespace(value)).toBe(true);
});

test.each(["", "-a", "a-", "Acme", "a.b", "a_b", "a b", "localhost", "ä", "a".repeat(64), "a\n"])(
  "%j cannot be a namespace",
  (value) => {
    expect(isNamespace(value)).toBe(false);
  },
);
