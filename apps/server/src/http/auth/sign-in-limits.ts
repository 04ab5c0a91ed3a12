import { Refusal } from "@muster/protocol";
import { networkOf } from "./network-of.js";
import { Throttle } from "./throttle.js";

/** Wrong passwords in a minute: from one address for one e-mail, from one address, and for one e-mail from anywhere. */
const LIMITS = { pair: 10, address: 60, email: 100 };

/** Links that are mailed to one address in a minute. */
const MAILS_PER_EMAIL = 3;

/**
 * Limits how fast passwords can be guessed. A password is not checked when its limit is reached: otherwise guesses
 * could go on. While many addresses guess at one e-mail, each of them has one attempt a minute, so that its member can
 * still sign in from elsewhere.
 */
export class SignInLimits {
  readonly #pairs = new Throttle(LIMITS.pair);
  readonly #addresses = new Throttle(LIMITS.address);
  readonly #emails = new Throttle(LIMITS.email);
  readonly #underAttack = new Throttle(1);
  readonly #mails = new Throttle(MAILS_PER_EMAIL);

  /**
   * Refuses an attempt when there were too many wrong ones. An attempt counts as wrong from its beginning, because many
   * can be made at once, and each takes a while. Returns what to call when the password was right.
   */
  begin(ip: string, email: string): () => void {
    const now = performance.now();
    const { address, pair, key } = keysOf(ip, email);
    const wait = Math.max(
      this.#pairs.retryAfter(pair, now),
      this.#addresses.retryAfter(address, now),
      this.#emails.retryAfter(key, now) > 0 ? this.#underAttack.retryAfter(pair, now) : 0,
    );
    if (wait > 0) throw tooMany("There were too many wrong passwords.", wait);
    const counts = [
      [this.#pairs, pair],
      [this.#underAttack, pair],
      [this.#addresses, address],
      [this.#emails, key],
    ] as const;
    for (const [throttle, name] of counts) throttle.count(name, now);
    return () => {
      for (const [throttle, name] of counts) throttle.uncount(name, performance.now());
    };
  }

  /** Counts a mail. Returns whether it may be sent. Refuses an address that asks for too many. */
  countMail(ip: string, email: string): boolean {
    const now = performance.now();
    const { address, key } = keysOf(ip, email);
    const wait = this.#addresses.retryAfter(address, now);
    if (wait > 0) throw tooMany("This address has asked for too many mails.", wait);
    this.#addresses.count(address, now);
    const isAllowed = this.#mails.retryAfter(key, now) === 0;
    this.#mails.count(key, now);
    return isAllowed;
  }
}

function keysOf(ip: string, email: string): { address: string; pair: string; key: string } {
  const address = networkOf(ip);
  const key = email.trim().toLowerCase().slice(0, 254);
  return { address, pair: `${address} ${key}`, key };
}

function tooMany(message: string, retryAfter: number): Refusal {
  return new Refusal("too_many_requests", `${message} Try again in a minute.`, { retryAfter });
}
