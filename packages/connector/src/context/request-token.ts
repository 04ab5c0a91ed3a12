import { hkdfSync } from "node:crypto";
import { HOUR_MS, openSealedText, sealText, signToken, verifyToken } from "@muster/protocol";
import type { Credentials } from "../trust/credentials.js";

/**
 * What a token may be used for: the pages of the connector and their endpoints, one address of a webhook, or the way back
 * from one authorization.
 */
export type TokenUse = "page" | `webhook ${string}` | `oauth ${string}`;

// A page's token lasts a working day, because the dashboard opens pages with a new token. A webhook's token does not
// expire, because another service stores the address.
const VALID_MS: Record<string, number | undefined> = { page: 12 * HOUR_MS, oauth: HOUR_MS };

/**
 * The credentials as one string, for pages, webhooks and third parties that send it back. It is signed with the host's
 * secret, and valid for one use alone: a service that has the address of its webhook cannot open a page with it. Browsers
 * and third parties can read a token, so the connector's secret in it is encrypted.
 */
export function signRequestToken(
  { id, organization, secret }: Credentials,
  use: TokenUse,
  hostSecret: string,
  nowMs: number,
): string {
  const validMs = VALID_MS[use.split(" ", 1)[0] ?? ""];
  const now = Math.floor(nowMs / 1_000);
  const sealed = sealText(secret, sealingKey(hostSecret), use).toString("base64url");
  const expiry = validMs === undefined ? {} : { exp: now + validMs / 1_000 };
  return signToken({ iss: organization, sub: id, aud: use, iat: now, ...expiry, sealed }, hostSecret);
}

/** The credentials in a token for this use; undefined when the token is not valid. */
export function readRequestToken(
  token: string,
  use: TokenUse,
  hostSecret: string,
  nowMs: number,
): Credentials | undefined {
  const claims = verifyToken(token, hostSecret, nowMs);
  if (typeof claims === "string") return undefined;
  const { iss, sub, aud, sealed } = claims;
  if (typeof iss !== "string" || typeof sub !== "string" || typeof sealed !== "string" || aud !== use) return undefined;
  return {
    id: sub,
    organization: iss,
    secret: openSealedText(Buffer.from(sealed, "base64url"), sealingKey(hostSecret), use),
  };
}

function sealingKey(hostSecret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", hostSecret, "", "request token", 32));
}
