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
  /** The requests that are not answered, by their connection. Clients may send several ahead. */
  readonly #unanswered = new Map<Socket, Set<IncomingMessage>>();
  #refused = 0;
  #isClosing = false;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#server = server;
    this.#limits = limits;
    server.maxConnections = limits.total;
    server.on("drop", () => this.#refused++);
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.on("request", (request, response) => {
      this.#noteRequest(request);
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
    const busy = new Set(Array.from(this.#unanswered.keys(), placeOf));
    for (const socket of this.#sockets) if (!busy.has(placeOf(socket))) socket.destroy();
    setTimeout(() => this.#endIncomplete(), this.#server.requestTimeout).unref();
  }

  #endIncomplete(): void {
    for (const [socket, requests] of this.#unanswered) {
      if (Array.from(requests).some(({ complete }) => !complete)) socket.destroy();
    }
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

  #noteRequest(request: IncomingMessage): void {
    const requests = this.#unanswered.get(request.socket);
    if (requests) requests.add(request);
    else this.#unanswered.set(request.socket, new Set([request]));
  }

  #noteAnswered(request: IncomingMessage): void {
    const { socket } = request;
    const requests = this.#unanswered.get(socket);
    requests?.delete(request);
    if (requests?.size !== 0) return;
    this.#unanswered.delete(socket);
    if (this.#isClosing) socket.end();
  }

  #endIdle(socket: Socket): void {
    const awaitsServer = this.#unanswered.has(socket) && socket.writableLength === 0;
    // Some answers take the server minutes. The time limit begins again, because it ends with this event.
    if (awaitsServer) socket.setTimeout(this.#limits.idleMs);
    else socket.destroy();
  }
}

/** The same for a TLS connection and for the connection below it. */
function placeOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
