import { BrowserError } from "../browser-error.js";
import type { IdStore } from "../identity/browser-ids.js";
import type { SafeStorage } from "../identity/safe-storage.js";
import type { RecordType, StoredBatch } from "../outbox/outbox.js";
import type { Sender } from "../outbox/sender.js";
import { printJson } from "../print-json.js";
import type { PageConfig, User } from "./page-config.js";
import type { Permission, Privacy } from "./privacy.js";

export interface VisitorOptions {
  ids: IdStore;
  given: { browser?: string | undefined; session?: string | undefined };
  storage: SafeStorage;
  tokenKey: string;
  privacy: Privacy;
  createId(): string;
  now(): number;
  createSender(visitor: () => StoredBatch["visitor"]): Sender;
}

interface HeldRecord {
  type: RecordType;
  body: object;
  at: number;
  resolve(): void;
  reject(error: Error): void;
}

const MAX_HELD = 1_000;

/**
 * Who visits the page. Until the visitor may be recorded, records are held in memory: nothing is stored or sent. When the
 * visitor refuses they are dropped.
 */
export class Visitor {
  me: User | false = false;
  permission: Permission = "unknown";
  readonly #options: VisitorOptions;
  readonly #sender: Sender;
  #app: PageConfig["app"] | undefined;
  #token: string | undefined;
  #isTokenStored = false;
  #held: HeldRecord[] = [];
  /** Why the library will not start on this page. */
  #problem: BrowserError | undefined;

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#sender = options.createSender(() => ({ ...this.ids(), accessToken: this.#token }));
  }

  /**
   * The platform is known now, and with it whether the visitor may be recorded. `carried` is the id that the visitor has
   * on another domain of the platform, when a link brought it.
   */
  begin({ app }: PageConfig, carried?: string): void {
    this.#app = app;
    const known = this.#options.given.browser ?? this.#options.ids.known();
    if (known === undefined && carried !== undefined) this.#options.given.browser = carried;
    this.#decide();
    const isOther = known !== undefined && carried !== undefined && known !== carried;
    if (isOther && this.permission !== "denied") this.record("alias", { anonymous_id: carried }).catch(() => undefined);
  }

  /** The library cannot start on this page: what waits for it, and what comes, is refused. */
  fail(problem: BrowserError): void {
    this.#problem = problem;
    for (const { reject } of this.#takeHeld()) reject(problem);
  }

  get token(): string | undefined {
    return this.#token ?? this.#storedToken;
  }

  /** Whether another tab has signed the visitor in or out since. */
  get isTokenOld(): boolean {
    return this.#token === undefined
      ? this.#storedToken !== undefined
      : this.#isTokenStored && this.#storedToken !== this.#token;
  }

  ids(): { bid: string; sid: string } {
    const { browser, session } = this.#options.ids.touch(this.#options.given);
    return { bid: browser, sid: session };
  }

  /** Refuses what would tell the server who the visitor is. */
  requirePermission(): void {
    if (this.permission === "denied") throw optedOut();
    if (this.permission === "unknown") throw noConsent();
  }

  /** Resolves when the server has the record. The page may change the object afterwards. */
  async record(type: RecordType, given: object): Promise<void> {
    if (this.#problem) throw this.#problem;
    if (this.permission === "denied") throw optedOut();
    const [body, at] = [copyOf(given), this.#options.now()];
    if (this.permission === "granted") return this.#send(type, body, at);
    if (this.#held.length >= MAX_HELD) {
      throw new BrowserError("no_consent", "Too much waits for the visitor's consent.");
    }
    return new Promise((resolve, reject) => {
      this.#held.push({ type, body, at, resolve, reject });
    });
  }

  flush(): void {
    if (this.permission === "granted") this.#sender.flush();
  }

  /** The server may be there again. */
  retry(): void {
    if (this.permission === "granted") this.#sender.retry();
  }

  leave(): void {
    if (this.permission === "granted") this.#sender.leave();
  }

  signIn(me: User, token: string): void {
    // Records from before belong to the visitor as it was then.
    this.flush();
    this.me = me;
    this.#token = me.access_token ?? token;
    this.#isTokenStored = this.#options.storage.set(this.#options.tokenKey, this.#token);
  }

  /**
   * The server knows the user of a token that the browser has stored. Nothing is written: while the server answered,
   * another tab may have signed the visitor out, and a token that is written now would sign it in again everywhere.
   */
  recognize(me: User, token: string): void {
    if (this.#storedToken !== token) return;
    this.flush();
    this.me = me;
    this.#token = token;
    this.#isTokenStored = true;
  }

  signOut(): void {
    this.#options.storage.remove(this.#options.tokenKey);
    this.forgetUser();
    this.#options.ids.clear();
  }

  /** The user is not signed in any more. What the browser has stored stays. */
  forgetUser(): void {
    this.flush();
    this.me = false;
    this.#token = undefined;
    // After a sign-out the next visitor is somebody else, also for the ids that the page has given.
    if (this.#storedToken === undefined) this.#options.given = {};
  }

  /** Forgets a token that the server does not accept. True when it was that of this page. */
  forgetToken(token: string): boolean {
    const { storage, tokenKey } = this.#options;
    if (this.#storedToken === token) storage.remove(tokenKey);
    if (this.#token !== token) return false;
    this.me = false;
    this.#token = undefined;
    return true;
  }

  optIn(): void {
    this.#options.privacy.remember("granted");
    this.#decide();
  }

  optOut(): void {
    this.#options.privacy.remember("denied");
    // First, so that nothing is sent any more.
    this.permission = "denied";
    this.#sender.clear(optedOut());
    this.signOut();
    this.#decide();
  }

  /** The visitor may have said something else in another tab. */
  reconsider(): void {
    const before = this.permission;
    this.#decide();
    if (before === "granted" && this.permission === "denied") this.signOut();
  }

  #decide(): void {
    if (!this.#app) return;
    this.permission = this.#options.privacy.permission(this.#app);
    if (this.permission === "granted") {
      for (const { type, body, at, resolve, reject } of this.#takeHeld()) {
        this.#send(type, body, at).then(resolve, reject);
      }
      // What earlier pages could not send.
      this.#sender.flush();
      return;
    }
    // Nothing may be stored, also not what was stored before the platform asked for consent.
    this.#sender.clear(this.permission === "denied" ? optedOut() : noConsent());
    if (this.permission === "denied") for (const { reject } of this.#takeHeld()) reject(optedOut());
    else if (this.#options.ids.known() !== undefined) this.#options.ids.clear();
  }

  #takeHeld(): HeldRecord[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  get #storedToken(): string | undefined {
    return this.#options.storage.get(this.#options.tokenKey);
  }

  #send(type: RecordType, body: object, at: number): Promise<void> {
    const { createId } = this.#options;
    return this.#sender.add({ id: createId(), type, timestamp: new Date(at).toISOString(), body });
  }
}

/** What a body holds at this moment, as it will be sent. */
function copyOf(body: object): object {
  try {
    return JSON.parse(printJson(body));
  } catch {
    throw new BrowserError("invalid_argument", "The values cannot be read.");
  }
}

function optedOut(): BrowserError {
  return new BrowserError("opted_out", "The visitor does not want to be recorded.");
}

function noConsent(): BrowserError {
  return new BrowserError("no_consent", "The visitor has not agreed yet.");
}
