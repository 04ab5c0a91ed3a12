import { createHash, randomBytes, scrypt } from "node:crypto";
import { openSealedText, sealText } from "@muster/protocol";
import { BackupError } from "./backup-format.js";

/** A key that opens with a passphrase, as it is in a backup. */
export interface SealedKey {
  salt: string;
  /** The cost of scrypt. */
  cost: number;
  sealed: string;
}

// Takes 128 MB and a third of a second, so that guessing passphrases is slow.
const COST = 2 ** 17;
const MAX_COST = 2 ** 20;
const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
const CONTEXT = "muster backup key";

export async function sealKey(secretKey: string, passphrase: string): Promise<SealedKey> {
  const salt = randomBytes(16);
  const sealed = sealText(secretKey, await derive(passphrase, salt, COST), CONTEXT);
  return { salt: salt.toString("hex"), cost: COST, sealed: sealed.toString("base64") };
}

export async function openKey({ salt, cost, sealed }: SealedKey, passphrase: string): Promise<string> {
  if (!(cost <= MAX_COST)) throw new BackupError("The backup is damaged in the keys. Use another one.");
  const key = await derive(passphrase, Buffer.from(salt, "hex"), cost);
  try {
    return openSealedText(Buffer.from(sealed, "base64"), key, CONTEXT);
  } catch (cause) {
    throw new BackupError("The passphrase is not the one that the backup was made with.", { cause });
  }
}

/** A value by which a backup tells whether a key is its own. It does not reveal the key. */
export function keyCheck(secretKey: string): string {
  return createHash("sha256").update(`muster backup key check ${secretKey}`).digest("hex");
}

function derive(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem: 256 * cost * BLOCK_SIZE };
  return new Promise((resolve, reject) => {
    // Unicode has several ways to write one letter, and keyboards differ.
    scrypt(passphrase.normalize("NFC"), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
