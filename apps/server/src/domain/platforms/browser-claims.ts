import type { VerifiedClaims } from "@muster/protocol";
import { BROWSER_ID } from "@muster/protocol/api/pages";
import type { Platform } from "./platform.js";

/** Whether a text can be the id of a browser. Everybody can send one. */
export function isBrowserId(text: string): boolean {
  return BROWSER_ID.test(text);
}

/** What is known about a browser without a token: its own id, which is the visitor's anonymous id. */
export function browserClaims(platform: Pick<Platform, "id">, browserId: string, now: number): VerifiedClaims {
  return {
    issuer: platform.id,
    issuedAt: Math.floor(now / 1_000),
    subjectType: "user",
    asUser: { anonymous_id: browserId },
    create: true,
    active: false,
    scopes: [],
  };
}
