import {
  type Brand,
  type HmacKey,
  isDefaultBrand,
  readClaims,
  type VerifiedClaims,
  verifyToken,
} from "@muster/protocol";
import { readScopedClientToken } from "./scoped-client-token.js";

/**
 * The claims of a token that a connector has issued about a user or an account, or a sentence that says why it is not
 * accepted. A connector whose secret verifies many tokens has it as a key too.
 */
export function readSubjectToken(
  brand: Brand,
  token: string,
  connector: { id: string; secret: string; key?: HmacKey },
  nowMs: number,
): VerifiedClaims | string {
  const payload = verifyToken(token, connector.key ?? connector.secret, nowMs);
  if (typeof payload === "string") {
    const claims = isDefaultBrand(brand) ? undefined : readScopedClientToken(brand, token, connector, nowMs);
    return claims ?? payload;
  }
  const claims = readClaims(brand, payload);
  if (typeof claims !== "string" && claims.issuer !== connector.id) return "The token was issued by another connector.";
  return claims;
}
