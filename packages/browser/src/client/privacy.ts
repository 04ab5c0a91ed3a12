import type { SafeStorage } from "../identity/safe-storage.js";
import { ownValue } from "../own-value.js";
import type { PageConfig } from "../page-config.js";

/** `unknown`: the page must ask the visitor first. */
export type Permission = "granted" | "denied" | "unknown";

/** Decides whether the visitor may be recorded: from the visitor's choice, the platform's and the browser's settings. */
export class Privacy {
  readonly #storage: SafeStorage;
  readonly #key: string;
  readonly #navigator: Navigator;
  #onPage: Permission | undefined;

  constructor(key: string, storage: SafeStorage, navigator: Navigator) {
    this.#key = key;
    this.#storage = storage;
    this.#navigator = navigator;
  }

  permission({ settings }: Pick<PageConfig["app"], "settings">): Permission {
    // Storage comes first, because the visitor may have changed the choice in another tab.
    const said = this.#storage.get(this.#key) ?? this.#onPage;
    if (said === "denied") return "denied";
    if (ownValue(settings, "respect_dnt") === true && wantsNoTracking(this.#navigator)) return "denied";
    return said === "granted" || ownValue(settings, "consent") !== "required" ? "granted" : "unknown";
  }

  /** Stores the visitor's choice. A refusal must be stored too, or the page would ask again. */
  remember(permission: "granted" | "denied"): void {
    this.#onPage = permission;
    // When storage is full, the earlier choice is removed, because it would win over the new one.
    if (!this.#storage.set(this.#key, permission)) this.#storage.remove(this.#key);
  }
}

/** Do-Not-Track, and Global Privacy Control, which took its place. */
function wantsNoTracking(navigator: Navigator & { globalPrivacyControl?: boolean }): boolean {
  return navigator.globalPrivacyControl === true || navigator.doNotTrack === "1";
}
