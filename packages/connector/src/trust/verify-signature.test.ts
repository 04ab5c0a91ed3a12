import { createHash, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { createBrand } from "@muster/protocol";
import { expect, test } from "vitest";
import { sharedPlatformKey } from "../testing/platform-key.js";
import { verifySignature } from "./verify-signature.js";

const brand = createBrand();
const platformKey = sharedPlatformKey();
const publicKey = createPublicKey(platformKey.publicPem);
const BODY = '{"notification_id":"1"}';
const signed = { notificationId: "1", body: Buffer.from(BODY) };
const { [brand.headers.signature]: token = "" } = platformKey.headersFor(brand, "https://example.com/key", BODY);

test("a token for this notification and this body is accepted", async () => {
  await expect(verifySignature(token, publicKey, signed, Date.now())).resolves.toBeUndefined();
});

test.each([
  ["that is ten minutes old", token, signed, Date.now() + 601_000, "it has expired"],
  ["for another notification", token, { ...signed, notificationId: "2" }, Date.now(), "it is for another notification"],
  ["for another body", token, { ...signed, body: Buffer.from("{}") }, Date.now(), "the body was changed"],
  ["with a changed signature", `${token.slice(0, -8)}AAAAAAAA`, signed, Date.now(), "does not match the public key"],
  ["that is a word", "token", signed, Date.now(), "it is not a token signed with RS256"],
  ["with a fourth part", `${token}.x`, signed, Date.now(), "it is not a token signed with RS256"],
  ["that is empty", "", signed, Date.now(), "it is not a token signed with RS256"],
])("a token %s is refused", async (_case, given, about, nowMs, reason) => {
  await expect(verifySignature(given, publicKey, about, nowMs)).rejects.toMatchObject({
    status: 401,
    code: "invalid_signature",
    message: expect.stringContaining(reason),
  });
});

test("a token that another algorithm signed is refused, whatever its header says", async () => {
  const { privateKey, publicKey: ellipticKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const parts = [
    { alg: "RS256", typ: "JWT" },
    { jti: "1", body_sha256: createHash("sha256").update(BODY).digest("hex") },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const content = parts.join(".");
  const forged = `${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`;
  await expect(verifySignature(forged, ellipticKey, signed, Date.now())).rejects.toMatchObject({ status: 401 });
});
