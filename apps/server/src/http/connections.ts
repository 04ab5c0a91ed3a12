import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./auth/network-of.js";

/** Where connections end. */
export interface ConnectionLimits {
  /** The most connections at a time. */
  total: number;
  /** The most connections of one address (for IPv6 of its /64 network). */
  perAddress: number;
  /** How long a client may read nothing of its answer. */
  idleMs: number;
}

// A consumer of a download may stop reading for a while, to store what it has.
const IDLE_MS = 120_000;
// An idle connection takes about 10 kB of memory.
const MOST_CONNECTIONS = 50_000;
const FEWEST_CONNECTIONS = 100;
/** The engines, log files and calls to connectors need descriptors too. */
const SHARE_OF_DESCRIPTORS = 0.8;

/**
 * The limits for a process that may open so many descriptors. One address may take half of the places. Behind proxies
 * all connections come from the addresses of the proxies, so there is no share for an address.
 */
export function connectionLimits(descriptors: number | undefined, isBehindProxy: boolean): ConnectionLimits {
  const share = Math.floor((descriptors ?? Number.POSITIVE_INFINITY) * SHARE_OF_DESCRIPTORS);
  const total = Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, share));
  return { total, perAddress: isBehindProxy ? total : Math.ceil(total / 2), idleMs: IDLE_MS };
}

/**
 * The connections of a server. Refuses those that are too many, and ends those whose client does not read its answer.
 * Node ends a connection that is idle between two requests, and one whose request takes too long to arrive.
 */
export class Connections {
  readonly #server: Server;
  readonly #limits: ConnectionLimits;
  readonly #sockets = new Set<Socket>();
  readonly #byAddress = new Map<string, number>();
  /** The requests that are not answered. */
  readonly #requests = new Set<IncomingMessage>();
  /** Connections with the number of their requests that are not answered. Clients may send several ahead. */
  readonly #answering = new WeakMap<Socket, number>();
  #refused = 0;
  #isClosing = false;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server;
    this.#limits = limits;
    server.maxConnections = limits.total;
    server.on("drop", () => this.#refused++);
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.on("request", (request, response) => {
      this.#requests.add(request);
      this.#countAnswers(request.socket, 1);
      response.once("close", () => this.#noteAnswered(request));
    });
    server.setTimeout(limits.idleMs, (socket: Socket) => this.#endIdle(socket));
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** The most connections at a time. */
  get most(): number {
    return this.#limits.total;
  }

  /** How many connections were closed because there were too many. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Ends all connections without a request that was begun, and the others when their requests are answered. Call this before
   * the server is closed: then Node waits for silent clients, and no longer ends those whose request takes too long to arrive.
   */
  close(): void {
    this.#isClosing = true;
    const busy = new Set(Array.from(this.#requests, ({ socket }) => placeOf(socket)));
    for (const socket of this.#sockets) if (!busy.has(placeOf(socket))) socket.destroy();
    setTimeout(() => this.#endIncomplete(), this.#server.requestTimeout).unref();
  }

  #endIncomplete(): void {
    for (const { complete, socket } of this.#requests) if (!complete) socket.destroy();
  }

  #accept(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? "");
    const count = (this.#byAddress.get(network) ?? 0) + 1;
    this.#sockets.add(socket);
    this.#byAddress.set(network, count);
    socket.once("close", () => this.#forget(socket, network));
    if (this.#isClosing) socket.destroy();
    if (count <= this.#limits.perAddress) return;
    this.#refused++;
    socket.destroy();
  }

  #forget(socket: Socket, network: string): void {
    this.#sockets.delete(socket);
    const left = (this.#byAddress.get(network) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(network);
    else this.#byAddress.set(network, left);
  }

  #noteAnswered(request: IncomingMessage): void {
    this.#requests.delete(request);
    this.#countAnswers(request.socket, -1);
    if (this.#isClosing && this.#answering.get(request.socket) === 0) request.socket.end();
  }

  #countAnswers(socket: Socket, by: number): void {
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + by);
  }

  #endIdle(socket: Socket): void {
    const awaitsServer = (this.#answering.get(socket) ?? 0) > 0 && socket.writableLength === 0;
    // Some answers take the server minutes. The time limit begins again, because it ends with this event.
    if (awaitsServer) socket.setTimeout(this.#limits.idleMs);
    else socket.destroy();
  }
}

/** The same for a TLS connection and for the connection below it. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
