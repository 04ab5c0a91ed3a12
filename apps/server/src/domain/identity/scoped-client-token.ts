import { createHmac } from "node:crypto";
import { type Brand, encodeTokenPart, peekToken, readClaims, type VerifiedClaims, verifyToken } from "@muster/protocol";

// A client is scoped to a subject and asked for a token in one go. Each second costs two hashes, also for a forged token,
// which anybody can send. So the seconds are few, and a token that is longer than any token of that client is ignored.
const MAX_SECONDS_BETWEEN = 10;
const MAX_LENGTH = 2_048;

// The order of the fields is that of the library which the published client uses.
const HEADER = encodeTokenPart({ typ: "JWT", alg: "HS256" });

/**
 * The claims of a token that `token()` of the published hull-client 2.0.4 has made. That client does not sign it with the
 * connector's secret, but with the access token that it made for the same subject before, with the secret. So the access
 * token is made here again and used as the key. Undefined when the token is no such token.
 *
 * An access token is public: its holder can sign any claims with it. So of its claims only the
 * times and `create: false` are trusted. The subject is that of the access token, which has no scopes.
 */
export function readScopedClientToken(
  brand: Brand,
  token: string,
  connector: { id: string; secret: string },
  nowMs: number,
): VerifiedClaims | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const given = peekToken(token);
  const iat = given?.iat;
  if (!given || given.iss !== connector.id || !Number.isSafeInteger(iat)) return undefined;
  for (let seconds = 0; seconds <= MAX_SECONDS_BETWEEN; seconds++) {
    const access = accessPayload(brand, given, Number(iat) - seconds);
    if (typeof verifyToken(token, sign(access, connector.secret), nowMs) === "string") continue;
    const limits = { iat, ...(given.exp === undefined ? {} : { exp: given.exp }) };
    const create = given[brand.claims.create] === false ? { [brand.claims.create]: false } : {};
    const claims = readClaims(brand, { ...access, ...limits, ...create });
    return typeof claims === "string" ? undefined : claims;
  }
  return undefined;
}

/** The payload of the access token, with its fields in the order in which the client writes them. */
function accessPayload({ claims }: Brand, given: Record<string, unknown>, iat: number): Record<string, unknown> {
  const { iss, sub } = given;
  const subjectType = given[claims.subjectType];
  const identifiers = subjectType === "account" ? claims.asAccount : claims.asUser;
  return {
    iss,
    iat,
    ...(sub === undefined ? {} : { sub }),
    ...(given[identifiers] === undefined ? {} : { [identifiers]: given[identifiers] }),
    [claims.subjectType]: subjectType,
  };
}

function sign(payload: Record<string, unknown>, secret: string): string {
  const signed = `${HEADER}.${encodeTokenPart(payload)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
