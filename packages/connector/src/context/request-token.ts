import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { signToken, verifyToken } from "@muster/protocol";
import type { Credentials } from "./credentials.js";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Credentials as one string, to be handed to a page or through a third party and back. It is signed with the host's
 * secret, and the connector's secret in it is sealed: a token is read by browsers and third parties, which must not
 * learn that. It is valid for as long as the secret is: the addresses of webhooks hold it.
 */
export function signRequestToken({ id, organization, secret }: Credentials, hostSecret: string, nowMs: number): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", sealingKey(hostSecret), iv);
  const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const claims = { iss: organization, sub: id, iat: Math.floor(nowMs / 1_000) };
  return signToken({ ...claims, sealed: sealed.toString("base64url") }, hostSecret);
}

/** The credentials in a token of ours. */
export function readRequestToken(token: string, hostSecret: string, nowMs: number): Credentials | undefined {
  const claims = verifyToken(token, hostSecret, nowMs);
  if (typeof claims === "string") return undefined;
  const { iss, sub, sealed } = claims;
  if (typeof iss !== "string" || typeof sub !== "string" || typeof sealed !== "string") return undefined;
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", sealingKey(hostSecret), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const secret = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  return { id: sub, organization: iss, secret: secret.toString("utf8") };
}

function sealingKey(hostSecret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", hostSecret, "", "request token", 32));
}
