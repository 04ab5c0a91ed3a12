import { type Brand, signToken, type TokenPayload } from "@muster/protocol";
import { claimsOf, type Subject } from "./subject.js";

// A token is signed once and used again for this long, with the `iat` of its signature. The gateway verifies equal
// tokens of a batch once, so this also saves it work.
const REUSE_MS = 60_000;

// About 6 MB of tokens. Beyond it all are dropped, which costs one signature (5 µs) for each subject still in use. That
// is so cheap that a cache library, which would be this package's only dependency, would not pay off.
const MAX_TOKENS = 10_000;

/** Signs the tokens of one connector, and remembers the recent ones. */
export class TokenMint {
  readonly #brand: Brand;
  readonly #issuer: string;
  readonly #secret: string;
  readonly #tokens = new Map<string, string>();
  #rememberedSince = 0;

  constructor(brand: Brand, issuer: string, secret: string) {
    this.#brand = brand;
    this.#issuer = issuer;
    this.#secret = secret;
  }

  /** A token for the subject, at most a minute old. */
  tokenFor(subject: Subject, nowMs: number): string {
    // Tokens signed in the future are dropped too: the clock has been set back since.
    if (Math.abs(nowMs - this.#rememberedSince) >= REUSE_MS || this.#tokens.size >= MAX_TOKENS) {
      this.#tokens.clear();
      this.#rememberedSince = nowMs;
    }
    const key = JSON.stringify(subject);
    let token = this.#tokens.get(key);
    if (token === undefined) {
      token = this.#sign(claimsOf(this.#brand, this.#issuer, subject), nowMs);
      this.#tokens.set(key, token);
    }
    return token;
  }

  /** A new token with claims of the caller in addition to those of the subject. */
  freshTokenFor(subject: Subject, extra: TokenPayload, nowMs: number): string {
    return this.#sign({ ...claimsOf(this.#brand, this.#issuer, subject), ...extra }, nowMs);
  }

  #sign(claims: TokenPayload, nowMs: number): string {
    return signToken({ ...claims, iat: Math.floor(nowMs / 1_000) }, this.#secret);
  }
}
