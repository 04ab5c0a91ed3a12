import { createHash, randomBytes } from "node:crypto";

/** A token that nobody can guess, and the hash that is stored in its place. */
export function createSecretToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashSecretToken(token) };
}

/** The token has 256 random bits, so a plain hash cannot be turned back. */
export function hashSecretToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
