import { expect, it } from "vitest";
import * as surface from "./index.js";

it("exports these names and no others", () => {
  expect(Object.keys(surface).sort()).toEqual(["AccountClient", "Client", "ClientError", "UserClient", "groupTraits"]);
});

it.each([
  ["Client", surface.Client.prototype, ["asAccount", "asUser"]],
  ["UserClient", surface.UserClient.prototype, ["account", "consent", "track"]],
  ["AccountClient", surface.AccountClient.prototype, []],
])("%s declares these methods and no others", (_name, prototype, expected) => {
  expect(methodsOf(prototype)).toEqual(expected);
});

it("every scoped client has these methods, and every client has those of the API", () => {
  const scoped = Object.getPrototypeOf(surface.UserClient.prototype);
  const hidden = ["accessToken", "refuse", "write"];
  expect(methodsOf(scoped)).toEqual([...hidden, "alias", "token", "traits", "unalias"].sort());
  expect(methodsOf(Object.getPrototypeOf(scoped))).toEqual(
    [
      "accessToken",
      "configuration",
      "del",
      "delete",
      "flush",
      "get",
      "logger",
      "post",
      "put",
      "request",
      "utils",
    ].sort(),
  );
});

function methodsOf(prototype: object): string[] {
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== "constructor")
    .sort();
}
