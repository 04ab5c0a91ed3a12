import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connector, ConnectorOptions } from "@muster/connector";
import { BUNDLED_PATH, bundledUrl, type OwnName } from "../domain/connectors/bundled-address.js";
import { type ChildSettings, LISTENING } from "../outbound/bundled/child-settings.js";
import { isPublicAddress } from "../outbound/public-address.js";
import { guardConnections } from "./guard-connections.js";

/** The connectors of one process. */
export interface ServedConnectors {
  isKnown(name: string): name is OwnName;
  hostSecret(name: OwnName): string;
  load(name: OwnName, options: ConnectorOptions): Promise<Connector>;
  /** Ends what the connectors share. */
  close?(): Promise<void>;
}

// Shorter than the server waits before it kills this process.
const FINISH_MS = 4_000;

/** Runs connectors for the server that has started this process, and talks to it over a Unix socket. */
export function serveChild(open: (settings: ChildSettings) => ServedConnectors): void {
  // Ctrl-C in a terminal signals this process too. The server ends it, after the calls that it still makes.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
  process.once("message", (message) => {
    // The server that started this process is the only one that can send it a message.
    const settings = message as ChildSettings;
    new ConnectorChild(settings, open(settings)).start();
  });
}

class ConnectorChild {
  readonly #settings: ChildSettings;
  readonly #served: ServedConnectors;
  readonly #connectors = new Set<Connector>();
  readonly #listeners = new Map<OwnName, Promise<RequestListener>>();

  constructor(settings: ChildSettings, served: ServedConnectors) {
    this.#settings = settings;
    this.#served = served;
  }

  start(): void {
    const { socket, platformUrl, allowPrivateNetwork } = this.#settings;
    if (!allowPrivateNetwork) guardConnections({ platformUrl, isAllowed: isPublicAddress });
    const server = createServer((request, response) => void this.#answer(request, response));
    // The server that calls has limits for each call.
    server.requestTimeout = 0;
    // The caller closes connections that it no longer needs. Closed here, one could break the call that has just taken it.
    server.keepAliveTimeout = 0;
    server.listen(socket, () => process.send?.(LISTENING));
    // When the server is killed, the channel breaks: connectors without a server must not go on.
    process.once("disconnect", async () => {
      server.close();
      const closing = [...this.#connectors].map((each) => each.close());
      await Promise.race([Promise.all(closing), sleep(FINISH_MS)]);
      await this.#served.close?.();
      rmSync(dirname(socket), { recursive: true, force: true });
      process.exit(0);
    });
  }

  /** Requests are for the connector that their host names: all of them come over the socket. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.headers.host ?? "";
    if (!this.#served.isKnown(name)) {
      response.writeHead(404).end();
      return;
    }
    try {
      const listener = await this.#listenerOf(name);
      listener(request, response);
    } catch (error) {
      console.error(error);
      response.writeHead(500).end();
    }
  }

  #listenerOf(name: OwnName): Promise<RequestListener> {
    const known = this.#listeners.get(name);
    if (known) return known;
    const opened = this.#open(name);
    this.#listeners.set(name, opened);
    // The next call tries again.
    opened.catch(() => this.#listeners.delete(name));
    return opened;
  }

  async #open(name: OwnName): Promise<RequestListener> {
    const { platformUrl, publicUrl, brand } = this.#settings;
    const connector = await this.#served.load(name, {
      platformUrl,
      publicUrl: `${publicUrl}${BUNDLED_PATH}/${name}`,
      urls: [bundledUrl(name)],
      hostSecret: this.#served.hostSecret(name),
      // Pages of connectors are in frames without an origin, because they are at the address of the dashboard.
      allowedOrigins: ["null"],
      clientConfig: { brand },
      sendErrorLogs: true,
    });
    this.#connectors.add(connector);
    await connector.startWorker();
    return connector.requestListener();
  }
}
