import { expect, test } from "vitest";
import { localAddress } from "./local-address.js";

test("an address on this server is followed", () => {
  expect(localAddress("/o/1/users?q=ann")).toBe("/o/1/users?q=ann");
});

test.each(["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", undefined, 4])(
  "%j leads to the start",
  (given) => {
    expect(localAddress(given)).toBe("/");
  },
);
