import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { peekToken, signToken, verifyToken } from "./token.js";

const SECRET = "a connector's secret";
const NOW_MS = 1_700_000_000_000;
const NOW = NOW_MS / 1_000;

function forge(header: object, payload: unknown, signature: (signed: string) => string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${signature(signed)}`;
}
const hmac = (secret: string) => (signed: string) => createHmac("sha256", secret).update(signed).digest("base64url");

test("a signed token verifies with the same secret", () => {
  expect(verifyToken(signToken({ iss: "c", iat: NOW }, SECRET), SECRET, NOW_MS)).toEqual({ iss: "c", iat: NOW });
});

test("a token made by another library verifies: any header order, HS256", () => {
  const token = forge({ typ: "JWT", alg: "HS256", kid: "1" }, { iss: "c" }, hmac(SECRET));
  expect(verifyToken(token, SECRET, NOW_MS)).toEqual({ iss: "c" });
});

test("a token signed with another secret is refused", () => {
  expect(verifyToken(signToken({ iss: "c" }, "other"), SECRET, NOW_MS)).toMatch(/signature/);
});

test("a token whose payload was changed is refused", () => {
  const [header, , signature] = signToken({ iss: "c", scopes: [] }, SECRET).split(".");
  const payload = Buffer.from(JSON.stringify({ iss: "c", scopes: ["admin"] })).toString("base64url");
  expect(verifyToken(`${header}.${payload}.${signature}`, SECRET, NOW_MS)).toMatch(/signature/);
});

test.each(["none", "None", "NONE", "HS384", "HS512", "RS256", "ES256", "", undefined, null, 256])(
  "a token whose header says alg %j is refused, even with a good HS256 signature",
  (alg) => {
    expect(verifyToken(forge({ alg, typ: "JWT" }, { iss: "c" }, hmac(SECRET)), SECRET, NOW_MS)).toMatch(/HS256/);
  },
);

test("an unsigned token is refused", () => {
  expect(
    verifyToken(
      forge({ alg: "none" }, { iss: "c" }, () => ""),
      SECRET,
      NOW_MS,
    ),
  ).toMatch(/HS256/);
  expect(
    verifyToken(
      forge({ alg: "HS256" }, { iss: "c" }, () => ""),
      SECRET,
      NOW_MS,
    ),
  ).toMatch(/signature/);
});

test("a token with a genuine RS256 signature is refused", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const token = forge({ alg: "RS256" }, { iss: "c" }, (signed) =>
    sign("sha256", Buffer.from(signed), privateKey).toString("base64url"),
  );
  expect(verifyToken(token, SECRET, NOW_MS)).toMatch(/HS256/);
});

test("a token is valid until the second it expires", () => {
  expect(verifyToken(signToken({ exp: NOW + 1 }, SECRET), SECRET, NOW_MS)).toEqual({ exp: NOW + 1 });
  expect(verifyToken(signToken({ exp: NOW }, SECRET), SECRET, NOW_MS)).toMatch(/expired/);
  expect(verifyToken(signToken({ exp: NOW - 1 }, SECRET), SECRET, NOW_MS)).toMatch(/expired/);
});

test("a token is valid from the second it begins", () => {
  expect(verifyToken(signToken({ nbf: NOW }, SECRET), SECRET, NOW_MS)).toEqual({ nbf: NOW });
  expect(verifyToken(signToken({ nbf: NOW + 1 }, SECRET), SECRET, NOW_MS)).toMatch(/not valid yet/);
});

test.each([{ exp: "tomorrow" }, { exp: null }, { nbf: "yesterday" }, { nbf: [] }])(
  "a time that is not a number makes the token %j unusable",
  (payload) => {
    expect(typeof verifyToken(signToken(payload, SECRET), SECRET, NOW_MS)).toBe("string");
  },
);

test.each([
  ["nothing", ""],
  ["one part", "abc"],
  ["two parts", "a.b"],
  ["four parts", `${signToken({}, SECRET)}.x`],
  ["empty parts", ".."],
  ["no JSON", "e30.!!!.x"],
  ["more than 8 KB", `a.${"b".repeat(9_000)}.c`],
])("a token of %s is refused with a sentence", (_name, token) => {
  expect(verifyToken(token, SECRET, NOW_MS)).toMatch(/^The token .+\.$/);
});

test.each([[[]], ["text"], [1], [null]])("a payload of %j is not a token's", (payload) => {
  expect(verifyToken(forge({ alg: "HS256" }, payload, hmac(SECRET)), SECRET, NOW_MS)).toMatch(/payload/);
});

test("peekToken reads the payload without checking the signature", () => {
  expect(peekToken(signToken({ iss: "c" }, "whatever"))).toEqual({ iss: "c" });
  expect(peekToken("nonsense")).toBeUndefined();
  expect(peekToken(`a.${"b".repeat(9_000)}.c`)).toBeUndefined();
});
