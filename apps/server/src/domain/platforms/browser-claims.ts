import type { VerifiedClaims } from "@muster/protocol";
import type { Platform } from "./platform.js";

/** The form of the ids of browsers and of visits. */
export const BROWSER_ID = /^[A-Za-z0-9._~-]{1,128}$/;

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
