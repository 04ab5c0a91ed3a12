import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connector } from "@muster/connector";
import { BUNDLED_PATH, type BundledName, bundledUrl, isBundledName } from "../domain/connectors/bundled-address.js";
import { type ChildSettings, LISTENING } from "../outbound/bundled/child-settings.js";
import { isPublicAddress } from "../outbound/public-address.js";
import { guardConnections } from "./guard-connections.js";
import { loadConnector } from "./load-connector.js";

// The process of the connectors that come with Muster. The server starts it, and talks to it over a Unix socket.

// Shorter than the server waits before it kills this process.
const FINISH_MS = 4_000;

const connectors = new Set<Connector>();
const listeners = new Map<BundledName, Promise<RequestListener>>();

// Ctrl-C in a terminal signals this process too. The server ends it, after the calls that it still makes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

process.once("message", (message) => {
  // The server that started this process is the only one that can send it a message.
  start(message as ChildSettings);
});

function start(settings: ChildSettings): void {
  const { socket, platformUrl, allowPrivateNetwork } = settings;
  if (!allowPrivateNetwork) guardConnections({ platformUrl, isAllowed: isPublicAddress });
  const server = createServer((request, response) => void answer(settings, request, response));
  // The server that calls has limits for each call.
  server.requestTimeout = 0;
  server.listen(socket, () => process.send?.(LISTENING));
  // When the server is killed, the channel breaks: connectors without a server must not go on.
  process.once("disconnect", async () => {
    server.close();
    await Promise.race([Promise.all([...connectors].map((each) => each.close())), sleep(FINISH_MS)]);
    rmSync(dirname(socket), { recursive: true, force: true });
    process.exit(0);
  });
}

/** Requests are for the connector that their host names: all of them come over the socket. */
async function answer(settings: ChildSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = request.headers.host ?? "";
  if (!isBundledName(name)) {
    response.writeHead(404).end();
    return;
  }
  try {
    const listener = await listenerOf(name, settings);
    listener(request, response);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}

function listenerOf(name: BundledName, settings: ChildSettings): Promise<RequestListener> {
  const known = listeners.get(name);
  if (known) return known;
  const opened = open(name, settings);
  listeners.set(name, opened);
  // The next call tries again.
  opened.catch(() => listeners.delete(name));
  return opened;
}

async function open(name: BundledName, settings: ChildSettings): Promise<RequestListener> {
  const { connectorsFolder, platformUrl, publicUrl, brand, hostSecrets } = settings;
  const connector = await loadConnector(name, {
    manifest: join(connectorsFolder, name, "manifest.json"),
    platformUrl,
    publicUrl: `${publicUrl}${BUNDLED_PATH}/${name}`,
    urls: [bundledUrl(name)],
    hostSecret: hostSecrets[name],
    // Pages of connectors are in frames without an origin, because they are at the address of the dashboard.
    allowedOrigins: ["null"],
    clientConfig: { brand },
    sendErrorLogs: true,
  });
  connectors.add(connector);
  await connector.startWorker();
  return connector.requestListener();
}
