import { asBrowserError, BrowserError } from "../browser-error.js";
import { Bus, type Listener } from "../bus/bus.js";
import type { ListenerOf } from "../bus/bus-events.js";
import type { Consents } from "../consent-names.js";
import { type Deployment, type EmbedCallback, Embedder } from "../embed/embedder.js";
import { guarded, handled } from "../guarded.js";
import { isUsableId } from "../identity/browser-ids.js";
import { takeParameter } from "../identity/carry-on-links.js";
import type { RecordType } from "../outbox/outbox.js";
import { waitAfter } from "../outbox/wait-after.js";
import { readQueryCalls } from "../page/query-calls.js";
import { type TrackFormCall, trackForm } from "../page/track-form.js";
import type { PageConfig, User } from "../page-config.js";
import { cookies, isMobile, uuid } from "../utils.js";
import { carryVisitor } from "./carry-visitor.js";
import type {
  Attributes,
  ClientOptions,
  Config,
  EventOptions,
  Properties,
  Ready,
  ReadyCallback,
} from "./client-types.js";
import { consentAttributes } from "./consents.js";
import { failed, invalid, isObject } from "./invalid-argument.js";
import { type Scoped, scopeClient } from "./scoped-client.js";

/** A slow server must not keep a visitor's records back for longer. The visitor is a new one then. */
const ARRIVAL_LIMIT_MS = 3_000;

/**
 * The library as a page sees it. No call throws: what can fail returns a promise, which rejects with a `BrowserError`. A
 * page may leave such a promise alone: it does not become an unhandled rejection of the page.
 */
export class Client {
  /** Small helpers for connectors on pages. */
  readonly utils = { isMobile, cookies, uuid, assign: Object.assign };
  readonly #options: ClientOptions;
  readonly #bus = new Bus();
  readonly #embedder: Embedder<Scoped<Client>>;
  #started: Promise<Ready<Client>>;
  #settle!: { resolve(ready: Ready<Client>): void; reject(error: unknown): void };
  #callbacks: ReadyCallback<Client>[] = [];
  #isStarting = false;
  #ready: Ready<Client> | undefined;
  #page: PageConfig | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#embedder = new Embedder<Scoped<Client>>({
      document,
      attribute: `data-${options.names.lower}-ship`,
      clientFor: (deployment) => scopeClient(this, deployment),
      // Settings that an older version has cached name no purposes.
      mayEmbed: ({ ship }) => options.visitor.agreesTo(ship.purposes ?? []),
      onProblem: (message, error) => this.#debug(message, error),
    });
    this.#started = handled(
      new Promise((resolve, reject) => {
        this.#settle = { resolve, reject };
      }),
    );
  }

  /** Starts the library, when the option `autoStart` is false. */
  start(): Promise<Ready<Client>> {
    if (!this.#isStarting) {
      this.#isStarting = true;
      guarded(() => this.#arrive());
      void this.#tryToStart(1);
    }
    return this.#started;
  }

  /** Calls back, or resolves, once the library has started; at once when it has. */
  ready(): Promise<Ready<Client>>;
  ready(callback: ReadyCallback<Client>): void;
  ready(callback?: ReadyCallback<Client>): Promise<Ready<Client>> | undefined {
    if (!callback) return this.#started;
    if (this.#ready) this.#callBack(callback, this.#ready);
    else this.#callbacks.push(callback);
    return undefined;
  }

  /**
   * Calls a listener for each event with this name. In the name, `*` is any word and `**` is any number of words. The
   * listener finds the name of the event in `this.event`.
   */
  on<Name extends string>(name: Name, listener: ListenerOf<Client, Name>): void {
    this.#bus.on(name, listener as Listener);
  }
  off<Name extends string>(name: Name, listener: ListenerOf<Client, Name>): void {
    this.#bus.off(name, listener as Listener);
  }
  once<Name extends string>(name: Name, listener: ListenerOf<Client, Name>): void {
    this.#bus.once(name, listener as Listener);
  }
  many<Name extends string>(name: Name, times: number, listener: ListenerOf<Client, Name>): void {
    this.#bus.many(name, times, listener as Listener);
  }
  onAny(listener: Listener): void {
    this.#bus.onAny(listener);
  }
  offAny(listener: Listener): void {
    this.#bus.offAny(listener);
  }
  emit(name: string, ...data: unknown[]): void {
    this.#bus.emit(name, ...data);
  }

  /**
   * Records an event of the visitor, with the entity that it is about if there is one. Resolves to true when the server
   * has it.
   */
  track(event: string, properties: Properties = {}, options: EventOptions = {}): Promise<true> {
    if (typeof event !== "string" || event === "") return failed("track needs the name of an event.");
    if (!isObject(properties ?? {})) return failed("The properties of an event are an object.");
    const { href: url } = document.location;
    const { source, entity_id, entity_url } = options ?? {};
    const page = { url, referer: document.referrer };
    const body = { event, properties: properties ?? {}, ...page, source, entity_id, entity_url };
    return this.#record("track", body, () => this.#emit("track", body.properties));
  }

  /**
   * Records an event when one of the forms is submitted. `event` and `properties` may be functions of the form. The form
   * is submitted as usual: the record is stored before.
   */
  trackForm(
    forms: TrackFormCall["forms"],
    event: TrackFormCall["event"],
    properties?: TrackFormCall["properties"],
    options?: EventOptions,
  ): void {
    guarded(() =>
      trackForm({ forms, event, properties }, (name, values) => {
        void this.track(name, values, options);
        // Stored at once, because the page may unload before the timer of the batch fires.
        this.#options.visitor.flush();
      }),
    );
  }

  /** Sets attributes of the visitor: values, or `{value, operation}` with `set`, `setIfNull`, `inc` or `dec`. */
  traits(attributes: Attributes): Promise<true> {
    if (!isObject(attributes)) return failed("traits needs an object.");
    return this.#record("traits", attributes, () => this.#emit("traits", attributes));
  }

  /** Says what the visitor agrees to, for each purpose: `{ marketing: true, analytics: false }`. */
  consent(choices: Consents): Promise<true> {
    const attributes = consentAttributes(choices);
    if (!attributes) return failed("consent needs true or false for each purpose.");
    this.#options.visitor.agree(choices);
    this.#embedder.update();
    return this.traits(attributes);
  }

  /** Adds an anonymous id to the visitor. */
  alias(anonymousId: string): Promise<true> {
    if (!isUsableId(anonymousId)) return failed("alias needs an anonymous id.");
    return this.#record("alias", { anonymous_id: anonymousId });
  }

  /** Signs a user in, by a token that your server has signed. Waits until the library has started. */
  login(given: { access_token: string }): Promise<User> {
    const token = isObject(given) ? given.access_token : undefined;
    if (typeof token !== "string" || token === "") return failed("login needs an access_token.");
    if (!this.#isStarting) return handled(Promise.reject(new BrowserError("not_ready", "Call start() before.")));
    return handled(this.#started.then(() => this.#login(token)));
  }

  /** Signs the visitor out and forgets the ids, because the next visitor of this browser may be another person. */
  async logout(): Promise<void> {
    this.#options.visitor.signOut();
    this.#emitSignedOut();
  }

  /** The user who is signed in, or false. */
  currentUser(): User | false {
    return this.#options.visitor.me;
  }

  /** What the library runs with. */
  config(): Config {
    const { options, names, version } = this.#options;
    return {
      platformId: options.platformId,
      orgUrl: options.orgUrl,
      jsUrl: `${options.orgUrl}/js/${version}/muster.js`,
      assetsUrl: options.orgUrl,
      namespace: this.#page?.org.namespace ?? null,
      services: this.#page?.services ?? { settings: {}, types: {} },
      global: names.word,
    };
  }

  /** The visitor agrees to be recorded. */
  optIn(): void {
    this.#options.visitor.optIn();
  }

  /** The visitor does not want to be recorded. Ids and records that are not sent are deleted. */
  optOut(): void {
    this.#options.visitor.optOut();
    this.#embedder.update();
  }

  /** For the script of a connector: calls back for each place of the connector in the page, with a client of its own. */
  onEmbed(callback: EmbedCallback<Scoped<Client>>): void {
    guarded(() => this.#embedder.onEmbed(callback));
  }

  /** Puts connectors in the page. With `reset`, those that are there are taken out first. */
  embed(
    deployments: readonly Deployment[],
    options: { reset?: boolean } = {},
    callback?: () => unknown,
    errback?: (error: unknown) => unknown,
  ): Promise<void> {
    return handled(this.#embed(deployments, options ?? {}, callback, errback));
  }

  /** Another tab may have signed the visitor in or out, or asked for consent. */
  async followOtherTabs(): Promise<void> {
    const { visitor } = this.#options;
    const before = visitor.me;
    visitor.reconsider();
    if (visitor.permission === "granted" && visitor.isTokenOld) {
      visitor.forgetUser();
      await this.#recognize(visitor.token);
    }
    if (visitor.me === before) return;
    if (visitor.me === false) return this.#emitSignedOut();
    this.#emitSignedIn(visitor.me);
  }

  /** The server does not accept a token any more. */
  forgetToken(token: string): void {
    if (!this.#options.visitor.forgetToken(token)) return;
    this.#emit("user.fail", new BrowserError("unauthorized", "The token of the user is not valid any more."));
    this.#emitUser(false);
  }

  async #embed(
    deployments: readonly Deployment[],
    options: { reset?: boolean },
    callback?: () => unknown,
    errback?: (error: unknown) => unknown,
  ): Promise<void> {
    try {
      if (!Array.isArray(deployments)) throw invalid("embed needs a list of deployments.");
      await this.#embedder.embed(deployments, options);
      if (callback) guarded(callback);
    } catch (error) {
      if (!errback) throw asBrowserError(error);
      guarded(() => errback(error));
    }
  }

  /** Starts, and retries while the server is unreachable. A failed first attempt rejects the promises that wait for it. */
  async #tryToStart(attempt: number): Promise<void> {
    try {
      const ready = await this.#start();
      this.#ready = ready;
      this.#settle.resolve(ready);
      if (attempt > 1) this.#started = Promise.resolve(ready);
      for (const callback of this.#callbacks.splice(0)) this.#callBack(callback, ready);
    } catch (error) {
      const failure = asBrowserError(error);
      this.#debug("The library could not start.", failure);
      if (failure.code === "unreachable") setTimeout(() => void this.#tryToStart(attempt + 1), waitAfter(attempt));
      else this.#options.visitor.fail(failure);
      this.#settle.reject(failure);
    }
  }

  async #start(): Promise<Ready<Client>> {
    const { options, visitor, names, problem } = this.#options;
    if (problem) throw problem;
    const page = await this.#open();
    this.#page = page;
    if (visitor.permission === "granted") await this.#recognize(options.accessToken ?? visitor.token);
    const ready = { hull: this, me: visitor.me, app: page.app, org: page.org };
    const args = [this, visitor.me, page.app, page.org];
    this.#emit("init", ...args);
    this.#runQueryCalls(names.query);
    this.#emit("ready", ...args);
    if (options.embed !== false) {
      this.embed(page.deployments).then(
        () => this.#emit("ships.ready"),
        (error: unknown) => this.#debug("Connectors were not embedded.", error),
      );
    }
    return ready;
  }

  /** Fetches the settings of the platform. Until the server answers, or if it does not, the cached settings apply. */
  async #open(): Promise<PageConfig> {
    const { visitor, connection, cache } = this.#options;
    const cached = cache.read();
    if (cached) visitor.begin(cached);
    const page = await connection.page().catch((error: unknown) => {
      if (cached && error instanceof BrowserError && error.code === "unreachable") return cached;
      throw error;
    });
    if (page !== cached) {
      cache.write(page);
      visitor.begin(page);
    }
    await visitor.arrival;
    carryVisitor(page, { ...this.#options, parameter: this.#carryParameter });
    return page;
  }

  /** Takes the id that a link has carried out of the address. Which id it is, the server alone can say. */
  #arrive(): void {
    const { visitor, connection } = this.#options;
    const carried = takeParameter(window, this.#carryParameter);
    // The server refuses visitors who do not come from the page that the id was made for.
    if (carried === undefined || document.referrer === "") return;
    const { host } = new URL(document.referrer);
    const tooLate = () => new Promise<undefined>((resolve) => setTimeout(resolve, ARRIVAL_LIMIT_MS));
    visitor.arriveWith(() => Promise.race([connection.arrive(carried, host), tooLate()]));
  }

  get #carryParameter(): string {
    return `${this.#options.names.query}bid`;
  }

  async #login(token: string): Promise<User> {
    const { visitor, connection } = this.#options;
    visitor.requirePermission();
    try {
      const me = await connection.login({ ...visitor.ids(), accessToken: token }, document.location.href);
      visitor.signIn(me, token);
      this.#emitSignedIn(me);
      return me;
    } catch (error) {
      this.#emit("user.fail", error);
      throw asBrowserError(error);
    }
  }

  /** Finds out who the visitor is, when there is a token. A token that is not valid any more is forgotten. */
  async #recognize(token: string | undefined): Promise<void> {
    const { options, visitor, connection } = this.#options;
    if (token === undefined) return;
    const isOfPage = token === options.accessToken;
    try {
      const me = await connection.me({ ...visitor.ids(), accessToken: token });
      if (me && isOfPage) visitor.signIn(me, token);
      else if (me) visitor.recognize(me, token);
      else if (isOfPage) await this.#login(token);
    } catch (error) {
      if (error instanceof BrowserError && error.code === "unauthorized") visitor.forgetToken(token);
      this.#emit("user.fail", error);
    }
  }

  #runQueryCalls(prefix: string): void {
    const { alias, traits, track } = readQueryCalls(document.location.search, prefix);
    // Not awaited: each call reports its own failure.
    if (alias) void this.#record("alias", alias);
    if (traits) void this.traits(traits);
    if (track) void this.track(track.event, track.properties);
  }

  #record(type: RecordType, body: object, onTaken?: () => void): Promise<true> {
    const { options, visitor, names } = this.#options;
    if (options.debug && options.verbose) console.debug(`${names.word}: ${type}`, body);
    const recorded = visitor.record(type, body).then(() => {
      onTaken?.();
      return true as const;
    });
    // A page may ignore the promise. Then this is the only place where its author sees what is wrong.
    recorded.catch((error: unknown) => this.#debug(`A call of ${type} failed.`, error));
    return recorded;
  }

  #callBack(callback: ReadyCallback<Client>, { me, app, org }: Ready<Client>): void {
    guarded(() => callback(this, me, app, org));
  }

  #emitSignedIn(me: User): void {
    this.#emit("user.login", me);
    this.#emitUser(me);
  }

  #emitSignedOut(): void {
    this.#emit("user.logout");
    this.#emitUser(false);
  }

  /** Another user may have agreed to other purposes. */
  #emitUser(me: User | false): void {
    this.#emit("user.update", me);
    this.#embedder.update();
  }

  #emit(name: string, ...args: unknown[]): void {
    this.#bus.emit(`${this.#options.names.lower}.${name}`, ...args);
  }

  #debug(message: string, error?: unknown): void {
    const { options, names } = this.#options;
    if (options.debug) console.warn(`${names.word}: ${message}`, error ?? "");
  }
}
