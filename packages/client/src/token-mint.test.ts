import { createBrand, readClaims, verifyToken } from "@muster/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Subject } from "./subject.js";
import { TokenMint } from "./token-mint.js";

const NOW_MS = Date.UTC(2026, 0, 1);
const brand = createBrand();

function createMint(): TokenMint {
  return new TokenMint(brand, "0198c2a4f1d002a1b2c3d4e5", "secret");
}

function subject(external_id: string): Subject {
  return { type: "user", user: { external_id }, additional: {} };
}

function issuedAt(token: string, nowMs: number): unknown {
  const payload = verifyToken(token, "secret", nowMs);
  return typeof payload === "string" ? payload : payload.iat;
}

describe("a token", () => {
  it("is used again for a minute, with the time at which it was signed", () => {
    const mint = createMint();
    const first = mint.tokenFor(subject("1"), NOW_MS);
    expect(issuedAt(first, NOW_MS)).toBe(NOW_MS / 1_000);
    expect(mint.tokenFor(subject("1"), NOW_MS + 59_000)).toBe(first);
    const second = mint.tokenFor(subject("1"), NOW_MS + 60_000);
    expect(issuedAt(second, NOW_MS)).toBe(NOW_MS / 1_000 + 60);
  });

  it("is signed again after the clock was set back", () => {
    const mint = createMint();
    mint.tokenFor(subject("1"), NOW_MS);
    const earlier = NOW_MS - 3_600_000;
    expect(issuedAt(mint.tokenFor(subject("1"), earlier), earlier)).toBe(earlier / 1_000);
  });

  it("is never that of another subject", () => {
    const mint = createMint();
    const identifier = fc.string({ minLength: 1, maxLength: 3 }).filter((text) => text.trim() !== "");
    const user = fc.record({ external_id: identifier, email: identifier }, { requiredKeys: ["external_id"] });
    fc.assert(
      fc.property(fc.array(user, { minLength: 1, maxLength: 20 }), fc.boolean(), (users, create) => {
        for (const each of users) {
          const token = mint.tokenFor({ type: "user", user: each, additional: { create } }, NOW_MS);
          const payload = verifyToken(token, "secret", NOW_MS);
          if (typeof payload === "string") throw new Error(payload);
          expect(readClaims(brand, payload)).toMatchObject({ subjectType: "user", asUser: each, create });
        }
      }),
    );
  });

  it("is forgotten when there are too many of them", () => {
    const mint = createMint();
    const first = mint.tokenFor(subject("first"), NOW_MS);
    for (let n = 0; n < 10_000; n += 1) mint.tokenFor(subject(String(n)), NOW_MS);
    // Signed in another second, so that a new token differs from a remembered one.
    expect(mint.tokenFor(subject("first"), NOW_MS + 5_000)).not.toBe(first);
  });
});
