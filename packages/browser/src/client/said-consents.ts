import { CONSENT_PREFIX, type Consents } from "../consent-names.js";
import type { SafeStorage } from "../identity/safe-storage.js";
import { ownValue } from "../own-value.js";
import type { User } from "../page-config.js";
import { serialiseJson } from "../serialise-json.js";

/** What the visitor has said about purposes in this browser. The page embeds connectors by it. */
export class SaidConsents {
  readonly #storage: SafeStorage;
  readonly #key: string;
  /** What is not stored, or not yet. */
  #onPage: Consents = {};

  constructor(storage: SafeStorage, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  /** Notes what the visitor says, for this page. What was stored before would win over it, so that is removed. */
  note(choices: Consents): void {
    this.#onPage = { ...this.#read(), ...choices };
    this.#storage.remove(this.#key);
  }

  /** Keeps what was noted for the next pages. It is not noted here any more: another tab may replace or forget it. */
  store(): void {
    if (Object.keys(this.#onPage).length === 0) return;
    if (this.#storage.set(this.#key, serialiseJson(this.#onPage))) this.#onPage = {};
  }

  forget(): void {
    this.#onPage = {};
    this.#storage.remove(this.#key);
  }

  /** Whether the visitor has agreed to all of these purposes, here or as the server knows, and has refused none of them. */
  agreesTo(purposes: readonly string[], me: User | false): boolean {
    if (purposes.length === 0) return true;
    const here = this.#read();
    const known = me ? me.extra : undefined;
    return purposes.every((purpose) => {
      const said = [ownValue(here, purpose), ownValue(known ?? {}, CONSENT_PREFIX + purpose)];
      return said.includes(true) && !said.includes(false);
    });
  }

  /** Another tab may have stored something since. */
  #read(): Consents {
    try {
      return { ...this.#onPage, ...JSON.parse(this.#storage.get(this.#key) ?? "{}") };
    } catch {
      return this.#onPage;
    }
  }
}
