import type { SafeStorage } from "../identity/safe-storage.js";
import { ownValue } from "../own-value.js";
import type { PageConfig } from "../page-config.js";
import { serialiseJson } from "../serialise-json.js";

/**
 * Caches the settings of the platform, so that the next page can record without waiting for the server. Nothing is
 * cached on a platform that needs consent, because nothing may be stored before the visitor has agreed.
 */
export class PageCache {
  readonly #storage: SafeStorage;
  readonly #key: string;

  constructor(storage: SafeStorage, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  read(): PageConfig | undefined {
    try {
      const page = JSON.parse(this.#storage.get(this.#key) ?? "");
      return typeof page?.app?.settings === "object" && Array.isArray(page.deployments) ? page : undefined;
    } catch {
      return undefined;
    }
  }

  write(page: PageConfig): void {
    if (ownValue(page.app.settings, "consent") === "required") this.#storage.remove(this.#key);
    else this.#storage.set(this.#key, serialiseJson(page));
  }
}
