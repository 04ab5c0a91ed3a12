import { MINUTE_MS } from "@muster/protocol";
import { RequestError } from "../errors/request-error.js";

// Muster's signatures are valid for ten minutes. A signature that is forgotten earlier has expired, or belongs to a
// connector that is called more than a hundred times a second.
const REMEMBER_MS = 11 * MINUTE_MS;
const MAX_REMEMBERED = 100_000;

/**
 * The notifications whose signatures were accepted. A signature is good for one call: Muster makes a new notification when
 * it repeats a call.
 */
export class UsedSignatures {
  /** When each was used, the earliest first. It grows with the calls: a process may run hundreds of connectors. */
  readonly #used = new Map<string, number>();

  /** Throws when the notification was taken before. */
  take(notification: string, nowMs: number): void {
    const usedAt = this.#used.get(notification);
    if (usedAt !== undefined && nowMs - usedAt < REMEMBER_MS) {
      throw new RequestError(401, "invalid_signature", "The signature is not valid: it was used before.");
    }
    // Deleted first, because a key that is set again keeps its place.
    this.#used.delete(notification);
    this.#used.set(notification, nowMs);
    this.#forgetOld(nowMs);
  }

  #forgetOld(nowMs: number): void {
    for (const [notification, usedAt] of this.#used) {
      if (nowMs - usedAt < REMEMBER_MS && this.#used.size <= MAX_REMEMBERED) return;
      this.#used.delete(notification);
    }
  }
}
