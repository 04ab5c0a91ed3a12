import { type ReadManifest, readManifest } from "@muster/protocol/manifest";
import type { Logger } from "pino";
import type { Connector } from "../domain/connectors/connector.js";
import { combinesUpdates, isSmart, type Subscription, subscriptionsOf } from "../domain/delivery/subscription.js";
import { Loop } from "../runtime/loops/loop.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";

/** A connector, with what is read from its manifest and settings. */
export interface ListedConnector {
  connector: Connector;
  namespace: string;
  /** While its organization is disabled, a connector is not called, and its messages wait. */
  isOrganizationEnabled: boolean;
  manifest: ReadManifest;
  subscriptions: Subscription[];
  /** It gets batches of messages under flow control instead of single notifications. */
  isSmart: boolean;
  /** Queued updates of one user or account are combined for it. */
  combinesUpdates: boolean;
}

export interface ConnectorDirectoryOptions {
  store: ConnectorStore;
  database: Database;
  logger: Logger;
  /** Makes the directory of another thread read the connectors again. */
  refreshOther?: (() => Promise<void>) | undefined;
}

// The signal that a connector changed is lost when its connection breaks.
const LOOK_EVERY_MS = 30_000;

/**
 * The connectors of all organizations, kept in memory: the pipeline and the deliveries need them for every step. They
 * are read again when any process changes one of them.
 */
export class ConnectorDirectory {
  readonly #options: ConnectorDirectoryOptions;
  readonly #listeners = new Set<() => void>();
  #byId = new Map<string, ListedConnector>();
  #subscribers = new Map<string, readonly ListedConnector[]>();
  #reading: Promise<void> | undefined;
  /** How many times `#refreshOwn` was called, and how many of these calls came before the last read began. */
  #asked = 0;
  #answered = 0;
  readonly #loop: Loop;

  constructor(options: ConnectorDirectoryOptions) {
    this.#options = options;
    this.#loop = new Loop({
      step: async () => {
        await this.#refreshOwn();
        return LOOK_EVERY_MS;
      },
      onError: (error) => options.logger.error({ err: error }, "reading the connectors failed"),
    });
  }

  async start(): Promise<void> {
    await this.#options.database.listen("connectors_changed", () => this.#loop.wake());
    await this.#refreshOwn();
    this.#loop.start({ afterMs: LOOK_EVERY_MS });
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#reading;
  }

  /** Reads all connectors again. After it the other thread of this process knows them too. */
  async refresh(): Promise<void> {
    await Promise.all([this.#refreshOwn(), this.#options.refreshOther?.()]);
  }

  /** Calls that come during a read share the next read. */
  async #refreshOwn(): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    // A read that began before this call may have missed the change that the caller wants to see.
    while (this.#answered < mine) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
  }

  all(): ListedConnector[] {
    return [...this.#byId.values()];
  }

  find(connectorId: string): ListedConnector | undefined {
    return this.#byId.get(connectorId);
  }

  /** The addresses of all enabled connectors that are called. */
  calledUrls(): string[] {
    return this.all().flatMap(({ connector: { enabled, sourceUrl } }) =>
      enabled && sourceUrl !== null ? [sourceUrl] : [],
    );
  }

  /** The connectors of an organization that get messages: with subscriptions, and enabled or holding their messages. */
  subscribersOf(organizationId: string): readonly ListedConnector[] {
    return this.#subscribers.get(organizationId) ?? [];
  }

  /** Calls `listener` after every read. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #read(): Promise<void> {
    const asked = this.#asked;
    const listed = (await this.#options.store.listAll()).map(list);
    this.#byId = new Map(listed.map((entry) => [entry.connector.id, entry]));
    this.#subscribers = new Map();
    for (const entry of listed.filter(isSubscriber)) {
      const { organizationId } = entry.connector;
      this.#subscribers.set(organizationId, [...this.subscribersOf(organizationId), entry]);
    }
    this.#answered = asked;
    for (const listener of this.#listeners) listener();
  }
}

function list({
  connector,
  ...organization
}: Pick<ListedConnector, "connector" | "namespace" | "isOrganizationEnabled">): ListedConnector {
  const manifest = readManifest(connector.manifest);
  const values = { settings: connector.settings, private_settings: connector.privateSettings };
  return {
    connector,
    ...organization,
    manifest,
    subscriptions: connector.sourceUrl === null ? [] : subscriptionsOf(manifest, values, connector.name),
    isSmart: isSmart(manifest),
    combinesUpdates: combinesUpdates(manifest),
  };
}

function isSubscriber({ connector, subscriptions }: ListedConnector): boolean {
  return subscriptions.length > 0 && (connector.enabled || connector.whenDisabled === "hold");
}
