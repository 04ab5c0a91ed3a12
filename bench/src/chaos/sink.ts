import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Notification, UserUpdateMessage } from "@muster/protocol";
import { eventNumber } from "./model.js";

const MANIFEST = {
  name: "Sink",
  version: "1.0.0",
  tags: ["smart-notifier"],
  settings_sections: [],
  subscriptions: [{ url: "/notify", conditions: { channels: { only: ["user:update"] } } }],
};
const SLOW_MS = 3_000;
/** Only the latest messages of a user are ever sent again. */
const REMEMBERED_MESSAGES = 200;

/** What the connector was told about a user and a segment. */
export interface ToldMoves {
  isMember: boolean;
  entered: number;
  left: number;
}

/** What the connector was told about a user, without messages that came again. */
export interface ToldUser {
  n: number | undefined;
  /** By the id of the segment. */
  moves: Map<string, ToldMoves>;
  messageIds: string[];
  /** The number of the call with the last message. */
  call: number;
  /** The message with the highest number `n`. */
  newestId?: string;
}

/** A connector that keeps the messages it gets, and notes messages that contradict earlier ones. */
export class Sink {
  /** How it answers: at once, after some seconds, or not at all. */
  manner: "up" | "slow" | "down" = "up";
  readonly users = new Map<string, ToldUser>();
  /** The numbers of the events that it was told. */
  readonly events = new Set<number>();
  /** Messages whose sequence number is smaller than one before. */
  readonly disordered: string[] = [];
  /** Users who entered a segment that they were in, or left one that they were not in. */
  readonly falseMoves: string[] = [];
  messages = 0;
  repeated = 0;
  /** Called when the next call has begun, before it is answered. */
  onNextCall: (() => void) | undefined;
  readonly #server: Server;
  #calls = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /** Starts to listen. Returns the address to install it from. */
  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    // `address()` is a string only for pipes.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/manifest.json") {
      response.end(JSON.stringify(MANIFEST));
      return;
    }
    if (this.manner === "down") {
      response.destroy();
      return;
    }
    this.#calls += 1;
    const call = this.#calls;
    const { onNextCall } = this;
    this.onNextCall = undefined;
    onNextCall?.();
    const parts: Buffer[] = [];
    // Without an encoding set, a body gives buffers.
    for await (const part of request) parts.push(part as Buffer);
    if (this.manner === "slow") await sleep(SLOW_MS);
    // The subscription has one channel, and its messages are about users.
    const { messages } = JSON.parse(Buffer.concat(parts).toString("utf8")) as Notification;
    for (const message of messages) this.take(message as UserUpdateMessage, call);
    const flow = { type: "next", size: 500, in: 0 };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ flow_control: flow }));
  }

  /** Takes a message of a call. Calls are numbered in the order in which they began. */
  take({ message_id: id, user, events, changes }: UserUpdateMessage, call = 0): void {
    const name = String(user.external_id);
    const told: ToldUser = this.users.get(name) ?? { n: undefined, moves: new Map(), messageIds: [], call };
    this.users.set(name, told);
    for (const event of events) {
      const number = eventNumber(event.event_id);
      if (number !== undefined) this.events.add(number);
    }
    this.messages += 1;
    if (told.messageIds.includes(id)) {
      this.repeated += 1;
      return;
    }
    told.messageIds.push(id);
    if (told.messageIds.length > REMEMBERED_MESSAGES) told.messageIds.shift();
    // One process at a time calls a connector. A call may still be under way when its process has died or lost its claim.
    const isLate = call < told.call;
    told.call = Math.max(told.call, call);
    this.#takeNumber(name, told, user.traits_n, isLate ? `${id}, in a call that began before the other` : id);
    for (const segment of changes.segments.entered) this.#takeMove(name, told, segment.id, true, id);
    for (const segment of changes.segments.left) this.#takeMove(name, told, segment.id, false, id);
  }

  #takeNumber(name: string, told: ToldUser, n: unknown, id: string): void {
    if (typeof n !== "number") return;
    if (told.n !== undefined && n < told.n) {
      this.disordered.push(`${name}: n was ${told.n} (message ${told.newestId}), then ${n} (message ${id})`);
      return;
    }
    told.n = n;
    told.newestId = id;
  }

  #takeMove(name: string, told: ToldUser, segmentId: string, isEntry: boolean, id: string): void {
    const moves = told.moves.get(segmentId) ?? { isMember: false, entered: 0, left: 0 };
    told.moves.set(segmentId, moves);
    if (moves.isMember === isEntry) {
      const what = isEntry ? "although in it" : "although not in it";
      this.falseMoves.push(`${name} ${isEntry ? "entered" : "left"} ${segmentId} ${what} (message ${id})`);
    }
    moves.isMember = isEntry;
    if (isEntry) moves.entered += 1;
    else moves.left += 1;
  }
}
