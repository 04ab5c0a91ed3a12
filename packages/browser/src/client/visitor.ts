import { BrowserError } from "../browser-error.js";
import type { Consents } from "../consent-names.js";
import type { IdStore } from "../identity/browser-ids.js";
import type { Arrived } from "../identity/carried-ids.js";
import type { SafeStorage } from "../identity/safe-storage.js";
import type { RecordType, StoredBatch } from "../outbox/outbox.js";
import type { Sender } from "../outbox/sender.js";
import type { PageConfig, User } from "../page-config.js";
import { serialiseJson } from "../serialise-json.js";
import type { Permission, Privacy } from "./privacy.js";
import type { SaidConsents } from "./said-consents.js";

export interface VisitorOptions {
  ids: IdStore;
  given: { browser?: string | undefined; session?: string | undefined };
  storage: SafeStorage;
  tokenKey: string;
  privacy: Privacy;
  consents: SaidConsents;
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
  /** Finds out which id a link has carried here. */
  #redeem: (() => Promise<Arrived | undefined>) | undefined;
  #isArriving = false;
  #arrival: Promise<void> = Promise.resolve();

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#sender = options.createSender(() => ({ ...this.ids(), accessToken: this.#token }));
  }

  /** Called before `begin`, when a link has carried an id to this page. Asks the server when the visitor may be recorded. */
  arriveWith(redeem: () => Promise<Arrived | undefined>): void {
    this.#redeem = redeem;
  }

  /** Called once the settings of the platform are known, which decide whether the visitor may be recorded. */
  begin({ app }: PageConfig): void {
    this.#app = app;
    this.#decide();
  }

  /** Resolves when it is known whether a link has carried an id here. Records wait for it: the id may become their own. */
  get arrival(): Promise<void> {
    return this.#arrival;
  }

  /** The id that links to other domains carry; undefined when the visitor may not be recorded, or not yet. */
  get carriedId(): string | undefined {
    if (this.permission !== "granted" || this.#isArriving) return undefined;
    return this.#known() ?? this.ids().bid;
  }

  /** Called when the library cannot start on this page. Rejects the waiting records and all later ones. */
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

  /** Throws unless the visitor may be recorded. Call it before any request that identifies the visitor to the server. */
  requirePermission(): void {
    if (this.permission === "denied") throw optedOut();
    if (this.permission === "unknown") throw noConsent();
  }

  /** Resolves when the server has the record. The page may change the object afterwards. */
  async record(type: RecordType, given: object): Promise<void> {
    if (this.#problem) throw this.#problem;
    if (this.permission === "denied") throw optedOut();
    const [body, at] = [copyOf(given), this.#options.now()];
    if (this.permission === "granted" && !this.#isArriving) return this.#send(type, body, at);
    if (this.#held.length >= MAX_HELD) {
      throw new BrowserError("no_consent", "Too many records wait for the visitor's consent.");
    }
    return new Promise((resolve, reject) => {
      this.#held.push({ type, body, at, resolve, reject });
    });
  }

  /** Notes what the visitor agrees to, for the connectors in the page. */
  agree(choices: Consents): void {
    if (this.permission === "denied") return;
    this.#options.consents.note(choices);
    if (this.permission === "granted") this.#options.consents.store();
  }

  agreesTo(purposes: readonly string[]): boolean {
    return this.#options.consents.agreesTo(purposes, this.me);
  }

  flush(): void {
    if (this.permission === "granted") this.#sender.flush();
  }

  /** Sends what waits, because the server may be reachable again. */
  retry(): void {
    if (this.permission === "granted") this.#sender.retry();
  }

  leave(): void {
    this.#stopArriving();
    if (this.permission === "granted") this.#sender.leave();
  }

  signIn(me: User, token: string): void {
    // Flushed before the change, because earlier records belong to the user who was signed in then.
    this.flush();
    this.me = me;
    this.#token = me.access_token ?? token;
    this.#isTokenStored = this.#options.storage.set(this.#options.tokenKey, this.#token);
  }

  /**
   * Called when the server has recognised the user of the stored token. Writes nothing: another tab may have signed the
   * visitor out meanwhile, and writing the token now would sign the visitor in again in all tabs.
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
    this.#options.consents.forget();
  }

  /** Signs the user out on this page. Keeps what the browser has stored. */
  forgetUser(): void {
    this.flush();
    this.me = false;
    this.#token = undefined;
    // After a sign-out the next visitor may be another person, so the ids that the page gave no longer apply.
    if (this.#storedToken === undefined) this.#options.given = {};
  }

  /** Forgets a token that the server does not accept. True when this page was using it. */
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
    // Set first, so that nothing is sent while the rest is deleted.
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
      this.#options.consents.store();
      this.#arrive();
      if (!this.#isArriving) this.#sendHeld();
      return;
    }
    if (this.permission === "denied") this.#redeem = undefined;
    // Deletes also what was stored before the platform began to ask for consent.
    this.#sender.clear(this.permission === "denied" ? optedOut() : noConsent());
    this.#options.consents.note({});
    if (this.permission === "denied") for (const { reject } of this.#takeHeld()) reject(optedOut());
    else if (this.#options.ids.known() !== undefined) this.#options.ids.clear();
  }

  /** Takes over the id that a link has carried here: as the own one of a new visitor, or as a further one. */
  #arrive(): void {
    const redeem = this.#redeem;
    if (!redeem) return;
    this.#redeem = undefined;
    this.#isArriving = true;
    this.#arrival = redeem()
      .then((arrived) => {
        if (arrived === undefined || this.permission !== "granted") return;
        const { bid: id, access_token: token } = arrived;
        // Whoever is signed in here stays: a link must not make a visitor somebody else.
        if (token !== undefined && this.token === undefined) this.#options.storage.set(this.#options.tokenKey, token);
        const known = this.#known();
        if (known === undefined) this.#options.ids.touch({ browser: id });
        else if (known !== id) this.record("alias", { anonymous_id: id }).catch(() => undefined);
      })
      // Then the visitor is new here. The page is not told: it has asked for nothing.
      .catch(() => undefined)
      .then(() => this.#stopArriving());
  }

  #stopArriving(): void {
    if (!this.#isArriving) return;
    this.#isArriving = false;
    if (this.permission === "granted") this.#sendHeld();
  }

  #known(): string | undefined {
    return this.#options.given.browser ?? this.#options.ids.known();
  }

  #sendHeld(): void {
    for (const { type, body, at, resolve, reject } of this.#takeHeld()) {
      this.#send(type, body, at).then(resolve, reject);
    }
    // Sends what earlier pages could not send.
    this.#sender.flush();
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

/** A copy of the body as it is now, because the page may change the object before it is sent. */
function copyOf(body: object): object {
  try {
    return JSON.parse(serialiseJson(body));
  } catch {
    throw new BrowserError("invalid_argument", "The values cannot be serialised as JSON.");
  }
}

function optedOut(): BrowserError {
  return new BrowserError("opted_out", "The visitor does not want to be recorded.");
}

function noConsent(): BrowserError {
  return new BrowserError("no_consent", "The visitor has not agreed yet.");
}
