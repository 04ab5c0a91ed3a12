import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Encrypts what must not be readable in the database: connector secrets and private settings. */
export interface Vault {
  seal(plain: string, context: string): Buffer;
  /** `context` must be the one given to `seal`: a sealed value that was copied to another row does not open. */
  open(sealed: Buffer, context: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createVault(secretKey: string): Vault {
  const key = createHash("sha256").update(`muster vault ${secretKey}`).digest();
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, context) {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
      const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES);
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new Error(`A sealed value (${context}) does not open: it was sealed with another SECRET_KEY.`, {
          cause,
        });
      }
    },
  };
}

/** Compares two strings in a time that does not depend on where they differ. */
export function equalSecrets(given: string, expected: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
