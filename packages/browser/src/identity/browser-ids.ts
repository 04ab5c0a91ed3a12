import { readCookies, widestCookieDomain, writeCookie } from "./cookies.js";
import type { SafeStorage } from "./safe-storage.js";

export interface BrowserIds {
  /** Stays the same for a year after the last visit. */
  browser: string;
  /** Stays the same until the visitor has done nothing for half an hour. */
  session: string;
}

export interface IdStoreOptions {
  document: Document;
  storage: SafeStorage;
  /** In milliseconds. */
  now(): number;
  createId(): string;
}

const BROWSER = { name: "_bid", lifeSeconds: 365 * 24 * 60 * 60 };
const SESSION = { name: "_sid", lifeSeconds: 30 * 60 };

type Kind = typeof BROWSER;

/** Ids may come from a link or an option, so they are checked like any untrusted input. */
const USABLE_ID = /^[\w.~-]{1,128}$/;

export function isUsableId(id: unknown): id is string {
  return typeof id === "string" && USABLE_ID.test(id);
}

/**
 * Keeps the ids of the visitor in cookies and in local storage, because either may be cleared or blocked. A cookie is
 * shared by all hosts of the site. The stored text holds its expiry time, because local storage has no expiry.
 */
export class IdStore {
  readonly #options: IdStoreOptions;
  #domain: string | undefined;
  #isDomainKnown = false;
  /** The ids in a browser that can store nothing, in the same form. They last as long as the page. */
  readonly #onPage = new Map<string, string>();

  constructor(options: IdStoreOptions) {
    this.#options = options;
  }

  /** The ids of the visitor. Creates missing ids and renews the expiry of all. Ids in `given` replace stored ids. */
  touch(given: Partial<BrowserIds> = {}): BrowserIds {
    const browser = given.browser ?? this.#read(BROWSER) ?? this.#options.createId();
    const session = given.session ?? this.#read(SESSION) ?? this.#options.createId();
    this.#write(BROWSER, browser);
    this.#write(SESSION, session);
    return { browser, session };
  }

  /** The id of the browser, if it has one. */
  known(): string | undefined {
    return this.#read(BROWSER);
  }

  /** Whether pages of a host share the cookies of this one, and so have the same ids. */
  isSharedWith(hostname: string): boolean {
    const domain = this.#cookieDomain();
    return domain !== undefined && `.${hostname}`.endsWith(`.${domain}`);
  }

  /** Forgets the visitor. */
  clear(): void {
    for (const kind of [BROWSER, SESSION]) {
      this.#onPage.delete(kind.name);
      this.#options.storage.remove(kind.name);
      writeCookie(this.#options.document, kind.name, "", { maxAgeSeconds: 0, domain: this.#cookieDomain() });
    }
  }

  #read({ name }: Kind): string | undefined {
    const { document, storage } = this.#options;
    const stored = [storage.get(name), this.#onPage.get(name)].map((text) => this.#readStored(text));
    const found = [readCookies(document)[name], ...stored];
    return found.find(isUsableId);
  }

  /** The id in a stored text `<expiry time in milliseconds> <id>`. */
  #readStored(text: string | undefined): string | undefined {
    const [end, id] = text?.split(" ") ?? [];
    return Number(end) > this.#options.now() ? id : undefined;
  }

  #write({ name, lifeSeconds }: Kind, id: string): void {
    const { document, storage, now } = this.#options;
    const text = `${now() + lifeSeconds * 1_000} ${id}`;
    const isStored = storage.set(name, text);
    writeCookie(document, name, id, { maxAgeSeconds: lifeSeconds, domain: this.#cookieDomain() });
    // Kept in memory only if it could not be stored. Otherwise this tab would keep an id that another tab has deleted.
    if (isStored || readCookies(document)[name] === id) this.#onPage.delete(name);
    else this.#onPage.set(name, text);
  }

  #cookieDomain(): string | undefined {
    if (!this.#isDomainKnown) {
      this.#domain = widestCookieDomain(this.#options.document);
      this.#isDomainKnown = true;
    }
    return this.#domain;
  }
}
