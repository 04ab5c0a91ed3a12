import { createHash, timingSafeEqual } from "node:crypto";
import { openSealedText, sealText } from "@muster/protocol";

/** Encrypts what must not be readable in the database: connector secrets and private settings. */
export interface Vault {
  seal(plain: string, context: string): Buffer;
  /** `context` must be the one given to `seal`: a sealed value that was copied to another row does not open. */
  open(sealed: Buffer, context: string): string;
}

export function createVault(secretKey: string): Vault {
  const key = createHash("sha256").update(`muster vault ${secretKey}`).digest();
  return {
    seal: (plain, context) => sealText(plain, key, context),
    open(sealed, context) {
      try {
        return openSealedText(sealed, key, context);
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
