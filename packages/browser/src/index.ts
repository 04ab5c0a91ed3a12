import { Client } from "./client/client.js";
import { Connection } from "./client/connection.js";
import { namesOf } from "./client/names.js";
import { PageCache } from "./client/page-cache.js";
import { Privacy } from "./client/privacy.js";
import { SaidConsents } from "./client/said-consents.js";
import type { Scoped } from "./client/scoped-client.js";
import { Visitor } from "./client/visitor.js";
import { IdStore } from "./identity/browser-ids.js";
import { localStorageOf } from "./identity/safe-storage.js";
import { checkOptions, type InitOptions } from "./options.js";
import { Outbox } from "./outbox/outbox.js";
import { batchBody } from "./outbox/post-batch.js";
import { Sender } from "./outbox/sender.js";
import { takeTurns } from "./outbox/take-turns.js";
import { request } from "./request.js";
import { uuid } from "./utils.js";
import { VERSION } from "./version.js";

export type { BrowserError, BrowserErrorCode } from "./browser-error.js";
export type { BusEvents } from "./bus/bus-events.js";
export type { Client } from "./client/client.js";
export type { AttributeChange, Attributes, Config, Properties, Ready } from "./client/client-types.js";
export type { Consents } from "./consent-names.js";
export type { Deployment } from "./embed/embedder.js";
export type { InitOptions } from "./options.js";
export type { PageConfig, User } from "./page-config.js";

/** The client of one connector on a page. */
export type ScopedClient = Scoped<Client>;

export interface BrandOption {
  /** The brand word of the server, when it is not the default. */
  brand?: string | undefined;
}

/** Starts the library on a page. When its options are wrong, all calls are refused with the reason. */
export function init(given: InitOptions & BrandOption): Client {
  const { options, problem } = checkOptions(given);
  const names = namesOf(given?.brand ?? "Svc");
  const storage = localStorageOf(window);
  const now = () => Date.now();
  // A site may have several platforms, also of different organizations. They share only the ids of the visitor.
  const keyOf = (what: string) => `${names.lower}:${what}:${options.platformId}`;
  const connection = new Connection({
    base: `${options.orgUrl}/api/v1/${encodeURIComponent(options.platformId)}`,
    request,
    now,
    onInvalidToken: (token) => client.forgetToken(token),
  });
  const [tokenKey, consentKey] = [keyOf("token"), `${names.lower}:consent`];
  const ids = new IdStore({ document, storage, now, createId: uuid });
  const visitor = new Visitor({
    ids,
    given: { browser: options.anonymousId, session: options.sessionId },
    storage,
    tokenKey,
    privacy: new Privacy(consentKey, storage, navigator),
    consents: new SaidConsents(storage, keyOf("purposes")),
    createId: uuid,
    now,
    createSender: (current) =>
      new Sender({
        outbox: new Outbox(keyOf("batch"), storage),
        visitor: current,
        createId: uuid,
        now,
        send: (batch) => connection.send(batch),
        leave: (batch) => {
          navigator.sendBeacon?.(connection.recordsUrl, batchBody(batch, now()));
        },
        alone: (work) => takeTurns(navigator.locks, keyOf("sender"), work),
        setTimer: (work, ms) => {
          setTimeout(work, ms);
        },
      }),
  });
  const cache = new PageCache(storage, keyOf("page"));
  const client: Client = new Client({ options, names, version: VERSION, connection, visitor, ids, cache, problem });
  const followOtherTabs = () => client.followOtherTabs().catch(() => undefined);
  window.addEventListener("pagehide", () => visitor.leave());
  window.addEventListener("online", () => visitor.retry());
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    // The page comes from the back/forward cache. It has missed the storage events of other tabs.
    void followOtherTabs();
    visitor.retry();
  });
  window.addEventListener("storage", ({ key }) => {
    if (key === tokenKey || key === consentKey) void followOtherTabs();
  });
  if (options.autoStart !== false) void client.start();
  return client;
}
