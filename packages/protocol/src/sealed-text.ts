import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text with a key of 32 bytes (AES-256-GCM). The result is the nonce, the encrypted text and the
 * authentication tag, one after the other. The `context` is not stored in it, but decryption needs the same context.
 */
export function sealText(plain: string, key: Buffer, context = ""): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a sealed text. Throws when the key or the context differs, or when the bytes were changed. */
export function openSealedText(sealed: Buffer, key: Buffer, context = ""): string {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
  const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
}
