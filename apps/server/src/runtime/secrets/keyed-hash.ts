import { createHmac } from "node:crypto";

/** Hashes a text so that it can be recognized but not read or guessed without the key of the server. */
export type KeyedHash = (text: string) => string;

/** `purpose` keeps the hashes of one use apart from those of another. The hashes are in hex. */
export function createKeyedHash(secretKey: string, purpose: string): KeyedHash {
  const key = createHmac("sha256", secretKey).update(`muster ${purpose}`).digest();
  return (text) => createHmac("sha256", key).update(text).digest("hex");
}
