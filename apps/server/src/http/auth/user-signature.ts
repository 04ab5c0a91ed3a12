import { createHmac } from "node:crypto";
import { type Brand, DAY_MS, isObject, nonEmptyText } from "@muster/protocol";
import { equalSecrets } from "../../runtime/secrets/vault.js";
import { type Caller, claimsOf } from "./caller.js";
import { headerOf, type RequestHead } from "./request-head.js";

/** The id of a user, with the signature of a connector. */
export interface SignedUser {
  userId: string;
  /** `<seconds>.<hex>` */
  signature: string;
}

/** When a user was signed, in seconds; undefined when the connector with this secret has not signed the user. */
export function signedAt({ userId, signature }: SignedUser, secret: string): number | undefined {
  const [, seconds = ""] = /^(\d{1,12})\.[0-9a-f]{40}$/.exec(signature) ?? [];
  if (seconds === "") return undefined;
  return equalSecrets(signature, sign(userId, Number(seconds), secret)) ? Number(seconds) : undefined;
}

/**
 * What the old browser library keeps in a cookie while a user is signed in, for the server of the website. The signature
 * ends when the credentials of the caller do, so that nobody extends them by exchanging one for the other.
 */
export function signedUserHeaders(
  brand: Brand,
  caller: Caller,
  userId: string,
  { maxDays, nowMs }: { maxDays: number; nowMs: number },
): Record<string, string> {
  if (caller.kind !== "subject" && caller.kind !== "connector") return {};
  const { issuedAt = Number.POSITIVE_INFINITY, expiresAt = Number.POSITIVE_INFINITY } = claimsOf(caller) ?? {};
  const at = Math.floor(Math.min(nowMs / 1_000, issuedAt, expiresAt - (maxDays * DAY_MS) / 1_000));
  return {
    [brand.headers.userId]: userId,
    [brand.headers.userSignature]: sign(userId, Math.max(at, 0), caller.connector.secret),
  };
}

/** The signed user in the headers of a request. */
export function signedUserOf(brand: Brand, request: RequestHead): SignedUser | undefined {
  const userId = headerOf(request, brand.headers.userId);
  const signature = headerOf(request, brand.headers.userSignature);
  if (signature === undefined) return undefined;
  // In requests to the server of the website, the old library sends its whole cookie as the signature.
  return userId === undefined ? readSignedUser(brand, signature) : { userId, signature };
}

/** Reads the cookie of the old library: JSON in base64, with the names of the headers. */
export function readSignedUser(brand: Brand, cookie: string): SignedUser | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(decodeURIComponent(cookie), "base64").toString("utf8"));
    if (!isObject(value)) return undefined;
    const userId = nonEmptyText(value[brand.headers.userId]);
    const signature = nonEmptyText(value[brand.headers.userSignature]);
    return userId === undefined || signature === undefined ? undefined : { userId, signature };
  } catch {
    return undefined;
  }
}

/** Old clients compute and check HMAC-SHA1, for which no forgery is known: the weakness of SHA-1 is in collisions. */
function sign(userId: string, seconds: number, secret: string): string {
  return `${seconds}.${createHmac("sha1", secret).update(`${seconds}-${userId}`).digest("hex")}`;
}
