import type { SafeStorage } from "../identity/safe-storage.js";
import { ownValue } from "../own-value.js";
import { printJson } from "../print-json.js";
import type { PageConfig } from "./page-config.js";

/**
 * What an earlier page has learned about the platform, so that the next one can record at once and without the server.
 * It is not kept when the visitor has to agree first: then nothing may be stored.
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
    else this.#storage.set(this.#key, printJson(page));
  }
}
