import { createPublicKey, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import { RequestError } from "../errors/request-error.js";
import { TransientError } from "../errors/transient-error.js";

const TIMEOUT_MS = 5_000;
// A platform has one key at a time. More addresses than this come from an attacker who invents them.
const MAX_KEYS = 100;

// The whole text must be the key. OpenSSL would also find a key inside another text, and the platform serves files whose
// content others chose.
const PEM = /^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/;

/** Public keys by address. A key is fetched once: a platform that changes its key gives the new one another address. */
export class PublicKeys {
  readonly #keys = new LRUCache<string, Promise<KeyObject>>({ max: MAX_KEYS });

  get(url: string): Promise<KeyObject> {
    const known = this.#keys.get(url);
    if (known) return known;
    const fetched = fetchKey(url);
    this.#keys.set(url, fetched);
    fetched.catch(() => this.#keys.delete(url));
    return fetched;
  }
}

async function fetchKey(url: string): Promise<KeyObject> {
  const pem = await download(url);
  try {
    if (!PEM.test(pem.trim())) throw new Error("The text is not a public key in PEM.");
    return createPublicKey(pem);
  } catch (cause) {
    throw new RequestError(401, "invalid_signature", `There is no public key at ${url}.`, { cause });
  }
}

async function download(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    if (response.ok) return await response.text();
    throw new Error(`It answered with status ${response.status}.`);
  } catch (cause) {
    throw new TransientError(`The public key at ${url} cannot be fetched.`, { cause });
  }
}
