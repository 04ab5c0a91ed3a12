import { Refusal, reasonOf } from "@muster/protocol";
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { within } from "../../../runtime/loops/within.js";

export interface NatsClientOptions {
  /** One address or more of the same cluster, separated by commas. */
  url: string;
  /** How the connection is called in the monitoring of NATS. */
  name: string;
  /** Called once when the first attempt to connect fails, or finds a NATS without JetStream. The client goes on trying. */
  onUnavailable(reason: string): void;
  onLost(): void;
  onConnected(server: string): void;
}

export interface Connected {
  connection: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
}

// A node that disappears silently is noticed after two of these intervals.
const PING_EVERY_MS = 5_000;
const RECONNECT_EVERY_MS = 250;
const FIRST_CONNECT_MS = 5_000;
const REQUEST_MS = 5_000;

/** A connection to NATS. It is opened in the background, and again for ever when it is lost. */
export class NatsClient {
  readonly #connected: Promise<Connected>;
  #isUp = false;
  #connections = 0;

  constructor({ url, name, onUnavailable, onLost, onConnected }: NatsClientOptions) {
    const servers = url.split(",").map((server) => server.trim());
    const { username, password } = new URL(servers[0] ?? "");
    // A user name without a password is a token.
    const credentials =
      username === ""
        ? {}
        : password === ""
          ? { token: decodeURIComponent(username) }
          : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    const options = {
      servers: servers.map((server) => new URL(server).host),
      ...(servers[0]?.startsWith("tls:") ? { tls: {} } : {}),
      ...credentials,
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_EVERY_MS,
      pingInterval: PING_EVERY_MS,
      ignoreAuthErrorAbort: true,
    };
    // An attempt that waits for the server never tells why it has to wait.
    const first = connect({ ...options, timeout: FIRST_CONNECT_MS }).catch((error: unknown) => {
      onUnavailable(reasonOf(error));
      return undefined;
    });
    const connecting = first.then((connection) => connection ?? connect({ ...options, waitOnFirstConnect: true }));
    this.#connected = connecting.then(async (connection) => {
      this.#isUp = true;
      this.#connections += 1;
      onConnected(connection.getServer());
      void this.#watch(connection, onLost, onConnected);
      const limits = { timeout: REQUEST_MS };
      const jsm = await jetstreamManager(connection, { ...limits, checkAPI: false });
      // Every other answer means that there is a JetStream, perhaps one without a leader at present.
      void jsm.getAccountInfo().catch((error: unknown) => {
        if (error instanceof Error && error.name === "JetStreamNotEnabled")
          onUnavailable("JetStream is not enabled on it");
      });
      return { connection, js: jetstream(connection, limits), jsm };
    });
    // Every use of it fails too.
    this.#connected.catch(() => {});
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** How often a connection was opened. What was known before the last time may not be true any more. */
  get connections(): number {
    return this.#connections;
  }

  /** Waits for the first connection, for some seconds. After that, calls wait for a connection that is lost. */
  use(): Promise<Connected> {
    return within(FIRST_CONNECT_MS, this.#connected, unreachable);
  }

  async close(): Promise<void> {
    // A client that has never connected retries for ever, until the process ends.
    if (!this.#isUp) {
      void this.#connected.then(
        ({ connection }) => connection.close(),
        () => {},
      );
      return;
    }
    const { connection } = await this.#connected;
    await connection.close();
  }

  async #watch(connection: NatsConnection, onLost: () => void, onConnected: (server: string) => void): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") {
        if (this.#isUp) onLost();
        this.#isUp = false;
      } else if (type === "reconnect") {
        this.#isUp = true;
        this.#connections += 1;
        onConnected(connection.getServer());
      }
    }
    this.#isUp = false;
  }
}

export function unreachable(cause?: unknown): Refusal {
  return new Refusal("unavailable", "The ingestion log in NATS does not answer.", { retryAfter: 2, cause });
}
