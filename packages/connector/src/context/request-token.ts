import { hkdfSync } from "node:crypto";
import { openSealedText, sealText, signToken, verifyToken } from "@muster/protocol";
import type { Credentials } from "./credentials.js";

/**
 * The credentials as one string, for pages and for third parties that send it back. It is signed with the host's secret.
 * Browsers and third parties can read a token, so the connector's secret in it is encrypted. The token does not expire,
 * because the addresses of webhooks hold it.
 */
export function signRequestToken({ id, organization, secret }: Credentials, hostSecret: string, nowMs: number): string {
  const sealed = sealText(secret, sealingKey(hostSecret));
  const claims = { iss: organization, sub: id, iat: Math.floor(nowMs / 1_000) };
  return signToken({ ...claims, sealed: sealed.toString("base64url") }, hostSecret);
}

/** The credentials in a request token; undefined when the token is not valid. */
export function readRequestToken(token: string, hostSecret: string, nowMs: number): Credentials | undefined {
  const claims = verifyToken(token, hostSecret, nowMs);
  if (typeof claims === "string") return undefined;
  const { iss, sub, sealed } = claims;
  if (typeof iss !== "string" || typeof sub !== "string" || typeof sealed !== "string") return undefined;
  const secret = openSealedText(Buffer.from(sealed, "base64url"), sealingKey(hostSecret));
  return { id: sub, organization: iss, secret };
}

function sealingKey(hostSecret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", hostSecret, "", "request token", 32));
}
