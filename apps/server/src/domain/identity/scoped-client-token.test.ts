import { createHmac } from "node:crypto";
import { createBrand, createId, signToken } from "@muster/protocol";
import { expect, test } from "vitest";
import { readSubjectToken } from "./read-subject-token.js";

const hull = createBrand("Hull");
const connector = { id: createId("connector"), secret: "secret" };
const NOW = 1_700_000_000;
const ANN = { "io.hull.asUser": { external_id: 7, email: "änn@example.com" } };
const PLAIN = { ...ANN, "io.hull.subjectType": "user" };

/** As the library of the published client writes tokens. */
function encode(payload: object, key: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ typ: "JWT", alg: "HS256" })}.${part(payload)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

const accessToken = (claims: object = PLAIN, iat = NOW) =>
  encode({ iss: connector.id, iat, ...claims }, connector.secret);
const scoped = (claims: object = PLAIN, { key = accessToken(), iat = NOW } = {}) =>
  encode({ iss: connector.id, iat, ...claims }, key);
const read = (token: string, brand = hull) => readSubjectToken(brand, token, connector, NOW * 1_000);

test("a token that is signed with the access token of the same subject is accepted", () => {
  expect(read(scoped())).toEqual({
    issuer: connector.id,
    issuedAt: NOW,
    subjectType: "user",
    asUser: { external_id: "7", email: "änn@example.com" },
    create: true,
    active: false,
    scopes: [],
  });
  const byId = { sub: createId("user"), "io.hull.subjectType": "user" };
  expect(read(scoped(byId, { key: accessToken(byId) }))).toMatchObject({ subjectType: "user", subjectId: byId.sub });
  const account = { "io.hull.asAccount": { domain: "acme.example" }, "io.hull.subjectType": "account" };
  expect(read(scoped(account, { key: accessToken(account) }))).toMatchObject({ subjectType: "account" });
});

test("some seconds may pass between the two tokens, and not more than ten", () => {
  expect(read(scoped(PLAIN, { iat: NOW + 10 }))).toMatchObject({ issuedAt: NOW + 10 });
  expect(read(scoped(PLAIN, { iat: NOW + 11 }))).toContain("signature");
  expect(read(scoped(PLAIN, { iat: NOW - 1 }))).toContain("signature");
});

test("the holder of an access token gains nothing by signing with it", () => {
  const more = {
    scopes: ["admin"],
    "io.hull.active": true,
    "io.hull.asAccount": { domain: "acme.example" },
    "io.hull.create": true,
  };
  expect(read(scoped({ ...ANN, ...more, "io.hull.subjectType": "user" }))).toEqual(read(scoped()));
  const others = [
    { ...PLAIN, "io.hull.asUser": { external_id: 8 } },
    { ...PLAIN, "io.hull.asUser": { ...ANN["io.hull.asUser"], anonymous_id: "x" } },
    { sub: createId("user"), ...PLAIN },
    { ...PLAIN, "io.hull.subjectType": "account" },
    { ...ANN },
  ];
  for (const claims of others) expect(read(scoped(claims))).toContain("signature");
  const bound = accessToken({ ...ANN, "io.hull.create": false, "io.hull.subjectType": "user" });
  expect(read(scoped(PLAIN, { key: bound }))).toContain("signature");
});

test("a token can say that no user is created and when it ends", () => {
  expect(read(scoped({ ...PLAIN, "io.hull.create": false, exp: NOW + 9 }))).toMatchObject({
    create: false,
    expiresAt: NOW + 9,
  });
  expect(typeof read(scoped({ ...PLAIN, exp: NOW - 9 }))).toBe("string");
});

test("other keys, other connectors and tokens of a token are refused", () => {
  expect(read(scoped(PLAIN, { key: "another key" }))).toContain("signature");
  const foreign = encode({ iss: createId("connector"), iat: NOW, ...PLAIN }, accessToken());
  expect(read(foreign)).toContain("signature");
  expect(read(scoped(PLAIN, { key: scoped() }))).toContain("signature");
});

test("with the default brand a token must be signed with the secret", () => {
  const svc = createBrand("Svc");
  const claims = { iss: connector.id, iat: NOW, "io.svc.asUser": { email: "a" }, "io.svc.subjectType": "user" };
  const key = encode(claims, connector.secret);
  expect(read(key, svc)).toMatchObject({ subjectType: "user" });
  expect(read(encode(claims, key), svc)).toContain("signature");
});

test("a token of another issuer is refused, also when the secret has signed it", () => {
  const token = signToken({ iss: createId("connector"), iat: NOW, ...PLAIN }, connector.secret);
  expect(read(token)).toBe("The token was issued by another connector.");
});

test("a long token is refused without a search for its key, which costs many hashes", () => {
  const long = { ...PLAIN, "io.hull.asUser": { external_id: "7".repeat(1_000), email: "a".repeat(1_000) } };
  expect(read(accessToken(long))).toMatchObject({ subjectType: "user" });
  expect(read(scoped(long, { key: accessToken(long) }))).toContain("signature");
});
