import { Refusal, type VerifiedClaims } from "@muster/protocol";
import type { Visitor } from "@muster/protocol/api/pages";
import type { FastifyRequest } from "fastify";
import { browserClaims } from "../../../domain/platforms/browser-claims.js";
import type { Platform } from "../../../domain/platforms/platform.js";
import { type AuthenticateOptions, authenticateToken } from "../../auth/authenticate.js";
import { type Caller, requireClaims } from "../../auth/caller.js";

/** The caller that the token of a visitor stands for; undefined when the visitor has none. */
export async function signedInCaller(
  authentication: AuthenticateOptions,
  { headers, ip }: FastifyRequest,
  { access_token: token }: Visitor,
): Promise<Caller | undefined> {
  return token === undefined ? undefined : authenticateToken(authentication, { headers, ip }, token, Date.now());
}

/** Whom a visitor's records are about. The browser of a signed-in visitor becomes one of the user's browsers. */
export function visitorClaims(caller: Caller | undefined, platform: Platform, { bid }: Visitor): VerifiedClaims {
  if (caller) {
    const claims = requireClaims(caller);
    if (claims.subjectType !== "user")
      throw new Refusal("forbidden", "A visitor is a user: this token is about an account.");
    return { ...claims, asUser: { anonymous_id: bid, ...claims.asUser }, scopes: [] };
  }
  return browserClaims(platform, bid, Date.now());
}
