import { expect, test } from "vitest";
import { createBrand } from "./brand.js";
import { readClaims } from "./claims.js";
import { createId } from "./id.js";

const brand = createBrand("Svc");
const USER = { iss: "c", iat: 1, "io.svc.subjectType": "user", "io.svc.asUser": { email: "ann@example.com" } };

test("a user token names its user; by default `create` is true and `active` is false", () => {
  expect(readClaims(brand, USER)).toEqual({
    issuer: "c",
    issuedAt: 1,
    subjectType: "user",
    asUser: { email: "ann@example.com" },
    create: true,
    active: false,
    scopes: [],
  });
});

test("an account token may name the account, or the user whose account it is", () => {
  const account = { iss: "c", iat: 1, "io.svc.subjectType": "account" };
  expect(readClaims(brand, { ...account, "io.svc.asAccount": { domain: "example.com" } })).toMatchObject({
    subjectType: "account",
    asAccount: { domain: "example.com" },
  });
  expect(readClaims(brand, { ...account, "io.svc.asUser": { external_id: "7" } })).toMatchObject({
    subjectType: "account",
    asUser: { external_id: "7" },
  });
});

test.each([
  ["iss", { iss: undefined }],
  ["iss", { iss: "" }],
  ["iss", { iss: 7 }],
  ["iat", { iat: undefined }],
  ["iat", { iat: "1" }],
  ["io.svc.subjectType", { "io.svc.subjectType": undefined }],
  ["io.svc.subjectType", { "io.svc.subjectType": "admin" }],
  ["io.svc.asUser", { "io.svc.asUser": {} }],
  ["io.svc.asUser", { "io.svc.asUser": { email: " " } }],
  ["io.svc.asUser", { "io.svc.asUser": { email: "x".repeat(2_000) } }],
  ["io.svc.asUser", { "io.svc.asUser": { email: "a\0" } }],
  ["io.svc.asUser", { "io.svc.asUser": { external_id: "\ud800" } }],
  ["io.svc.asUser", { "io.svc.asUser": "" }],
  ["io.svc.asUser", { "io.svc.asUser": undefined, sub: "a\0" }],
  ["io.svc.asUser", { "io.svc.asUser": { nickname: "ann" } }],
  ["io.svc.asUser", { "io.svc.asUser": ["ann@example.com"] }],
])("the message about a token without a usable %s names that claim: %j", (name, change) => {
  expect(readClaims(brand, { ...USER, ...change })).toContain(name);
});

test("unknown identifiers are left out, numbers are read as text", () => {
  const claims = readClaims(brand, { ...USER, "io.svc.asUser": { external_id: 42, nickname: "ann" } });
  expect(claims).toMatchObject({ asUser: { external_id: "42" } });
  expect(claims).not.toHaveProperty("asUser.nickname");
});

test("the subject may be given by id alone", () => {
  const { "io.svc.asUser": _, ...bare } = USER;
  expect(readClaims(brand, { ...bare, sub: "0123" })).toMatchObject({ subjectId: "0123" });
});

test("the end of the token is read, if it has one", () => {
  expect(readClaims(brand, { ...USER, exp: 9 })).toMatchObject({ issuedAt: 1, expiresAt: 9 });
  expect(readClaims(brand, USER)).not.toHaveProperty("expiresAt");
});

test("claims of another brand are not read", () => {
  expect(readClaims(createBrand("Hull"), USER)).toContain("io.hull.subjectType");
});

test("scopes that are not text are left out", () => {
  expect(readClaims(brand, { ...USER, scopes: ["admin", 1, null] })).toMatchObject({ scopes: ["admin"] });
  expect(readClaims(brand, { ...USER, scopes: "admin" })).toMatchObject({ scopes: [] });
});

test("with the original brand, the type of the subject is derived when it is not stated and there is no doubt", () => {
  const hull = createBrand("Hull");
  const bare = { iss: "c", iat: 1 };
  const asUser = { "io.hull.asUser": { email: "ann@example.com" } };
  expect(readClaims(hull, { ...bare, ...asUser })).toMatchObject({ subjectType: "user" });
  for (const type of ["user", "account"] as const) {
    expect(readClaims(hull, { ...bare, sub: createId(type) })).toMatchObject({ subjectType: type });
  }
  const unclear = [
    { ...asUser, "io.hull.asAccount": { domain: "acme.example" } },
    { "io.hull.asAccount": { domain: "acme.example" } },
    { sub: createId("connector") },
    { sub: "ann" },
    { ...asUser, "io.hull.subjectType": "admin" },
  ];
  for (const claims of unclear) expect(readClaims(hull, { ...bare, ...claims })).toContain("io.hull.subjectType");
  const svc = { ...bare, "io.svc.asUser": { email: "ann@example.com" }, sub: createId("user") };
  expect(readClaims(createBrand("Svc"), svc)).toContain("io.svc.subjectType");
});
