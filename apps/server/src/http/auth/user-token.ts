import { type Brand, DAY_MS, signToken, type VerifiedClaims } from "@muster/protocol";
import { type Caller, claimsOf } from "./caller.js";

const DAY_SECONDS = DAY_MS / 1_000;

// Clocks of issuers differ. A time far in the future is a mistake, such as milliseconds, and the token would never expire.
const MAX_SECONDS_AHEAD = DAY_SECONDS;

/** Why the token of an end user is not accepted, as a sentence; undefined when it is. */
export function userTokenProblem({ issuedAt }: VerifiedClaims, maxDays: number, nowMs: number): string | undefined {
  const age = nowMs / 1_000 - issuedAt;
  if (age > maxDays * DAY_SECONDS) return `The token was issued more than ${maxDays} days ago.`;
  return age < -MAX_SECONDS_AHEAD ? "The token's `iat` is in the future; it must be in seconds." : undefined;
}

/**
 * Signs a token for a user with the secret of the calling connector; null when the caller is not a connector. It expires
 * when the caller's token does, and at the latest when the caller's token would be too old: a chain of exchanged tokens
 * must end too.
 */
export function signUserToken(
  brand: Brand,
  caller: Caller,
  userId: string,
  { maxDays, nowMs }: { maxDays: number; nowMs: number },
): string | null {
  if (caller.kind !== "subject" && caller.kind !== "connector") return null;
  const now = Math.floor(nowMs / 1_000);
  const { expiresAt = Number.POSITIVE_INFINITY } = claimsOf(caller) ?? {};
  const beginsAt = caller.kind === "subject" ? Math.min(caller.claims.issuedAt, now) : now;
  const claims = {
    iss: caller.connector.id,
    iat: now,
    exp: Math.min(expiresAt, beginsAt + maxDays * DAY_SECONDS),
    sub: userId,
    [brand.claims.subjectType]: "user",
  };
  return signToken(claims, caller.connector.secret);
}
