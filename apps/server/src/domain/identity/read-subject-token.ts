import { type Brand, isDefaultBrand, readClaims, type VerifiedClaims, verifyToken } from "@muster/protocol";
import { readScopedClientToken } from "./scoped-client-token.js";

/**
 * The claims of a token that a connector has issued about a user or an account, or a sentence that says why it is not
 * accepted.
 */
export function readSubjectToken(
  brand: Brand,
  token: string,
  connector: { id: string; secret: string },
  nowMs: number,
): VerifiedClaims | string {
  const payload = verifyToken(token, connector.secret, nowMs);
  if (typeof payload === "string") {
    const claims = isDefaultBrand(brand) ? undefined : readScopedClientToken(brand, token, connector, nowMs);
    return claims ?? payload;
  }
  const claims = readClaims(brand, payload);
  if (typeof claims !== "string" && claims.issuer !== connector.id) return "The token was issued by another connector.";
  return claims;
}
