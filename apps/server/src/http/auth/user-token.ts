import { type Brand, signToken } from "@muster/protocol";
import type { Caller } from "./caller.js";

/** Signs a token for a user with the secret of the calling connector; null when the caller is not a connector. */
export function signUserToken(brand: Brand, caller: Caller, userId: string): string | null {
  if (caller.kind !== "subject" && caller.kind !== "connector") return null;
  const claims = {
    iss: caller.connector.id,
    iat: Math.floor(Date.now() / 1_000),
    sub: userId,
    [brand.claims.subjectType]: "user",
  };
  return signToken(claims, caller.connector.secret);
}
