import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { Refusal } from "@muster/protocol";

/** 32 MB and about 0.1 s for each attempt. The parameters are stored with each hash, so they can be raised. */
const COST = { N: 2 ** 15, r: 8, p: 1 };
const KEY_BYTES = 32;
const MIN_LENGTH = 10;

/**
 * How many hashes are computed at once. Others wait, so that sign-ins cannot use up the memory, the threads and the
 * processors: anybody can try a password.
 */
const MAX_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 4));
/** How many wait, for about five seconds. The limits on sign-ins count by address, and an attacker may have many. */
const MAX_WAITING = 50 * MAX_AT_ONCE;

/** Hashes a password for storage: the parameters, the salt and the key, separated by `$`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** Whether a password is the one that was hashed. Without a hash it takes as long, and the answer is no. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = (hash ?? NO_PASSWORD).split("$");
  const expected = Buffer.from(key, "base64url");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await deriveKey(password, Buffer.from(salt, "base64url"), cost);
  return timingSafeEqual(derived, expected) && hash !== undefined;
}

/** Refuses a password that is too easy to guess. */
export function requireGoodPassword(password: string, email: string): void {
  if (password.length < MIN_LENGTH) {
    throw new Refusal("invalid_parameter", `The password is too short: use ${MIN_LENGTH} characters or more.`);
  }
  if (password.toLowerCase() === email.toLowerCase() || new Set(password).size < 4) {
    throw new Refusal("invalid_parameter", "The password is too easy to guess: use another one.");
  }
}

const NO_PASSWORD = ["scrypt", COST.N, COST.r, COST.p, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$");

let running = 0;
const waiting: (() => void)[] = [];

async function deriveKey(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  if (waiting.length >= MAX_WAITING) {
    throw new Refusal("unavailable", "Too many people sign in at this moment. Try again soon.", { retryAfter: 5 });
  }
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      // One password can be written in several ways in Unicode.
      scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { ...cost, maxmem: 2 ** 28 }, (error, key) => {
        if (error) reject(error);
        else resolve(key);
      });
    });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
