import { createHash } from "node:crypto";
import type { Brand } from "@muster/protocol";
import { SignJWT } from "jose";
import type { Vault } from "../../runtime/secrets/vault.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  createSigningKey,
  currentSigningKey,
  findPublicKey,
  type SigningKey,
} from "../../storage/postgres/delivery/signing-keys.js";

export interface NotificationSignerOptions {
  database: Database;
  vault: Vault;
  brand: Brand;
  /** The address of the public key with an id. Connectors cache a key for ever, so each key has its own address. */
  keyUrl(keyId: string): string;
}

const VERSION = "v1";
const VALID_SECONDS = 10 * 60;
// After this time the key is read again: another process may have made a new one.
const KEY_AGE_MS = 60_000;

/** Signs notifications, so that a connector can check that they come from this server and were not changed. */
export class NotificationSigner {
  readonly #options: NotificationSignerOptions;
  #key: { key: Promise<SigningKey>; readAt: number } | undefined;

  constructor(options: NotificationSignerOptions) {
    this.#options = options;
  }

  /** The headers that go with a notification. */
  async headersFor(notificationId: string, issuer: string, body: string, now: number): Promise<Record<string, string>> {
    const { brand, keyUrl } = this.#options;
    const { id, privateKey } = await this.#currentKey(now);
    const issuedAt = Math.floor(now / 1_000);
    // A signature takes half a millisecond; it is computed outside the event loop.
    const signature = await new SignJWT({ body_sha256: createHash("sha256").update(body).digest("hex") })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setJti(notificationId)
      .setIssuer(issuer)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + VALID_SECONDS)
      .sign(privateKey);
    return {
      [brand.headers.smartNotifier]: "true",
      [brand.headers.signatureVersion]: VERSION,
      [brand.headers.signature]: signature,
      [brand.headers.signaturePublicKeyUrl]: keyUrl(id),
    };
  }

  /** Makes a new key and signs with it from now on. */
  async rotate(): Promise<{ id: string; url: string }> {
    const key = await createSigningKey(this.#options.database, this.#options.vault);
    this.#key = { key: Promise.resolve(key), readAt: Date.now() };
    return { id: key.id, url: this.#options.keyUrl(key.id) };
  }

  /** The public key with an id, as PEM. */
  publicKey(id: string): Promise<string | undefined> {
    return findPublicKey(this.#options.database, id);
  }

  #currentKey(now: number): Promise<SigningKey> {
    if (!this.#key || now - this.#key.readAt > KEY_AGE_MS) {
      const key = currentSigningKey(this.#options.database, this.#options.vault);
      this.#key = { key, readAt: now };
      // The next notification retries a failed read.
      key.catch(() => {
        if (this.#key?.key === key) this.#key = undefined;
      });
    }
    return this.#key.key;
  }
}
