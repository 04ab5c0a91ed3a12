import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "@muster/protocol";
import type { Logger } from "pino";
import { Loop } from "../../runtime/loops/loop.js";
import type { Database } from "./database.js";

/**
 * What another process may want to know at once:
 *
 *   appended   batches of an organization wait to be applied
 *   sweep      segments of an organization are due
 *   catchUp    the question engine of an organization must be checked
 *   projected  more of an organization may be searchable
 *   queued     messages wait for a connector
 *   schedules  a scheduled call of a connector is due
 *   jobs       a job is due
 *   holders    a process has come, gone, or given work back
 */
export const WAKE_UPS = [
  "appended",
  "sweep",
  "catchUp",
  "projected",
  "queued",
  "schedules",
  "jobs",
  "holders",
] as const;
export type WakeUp = (typeof WAKE_UPS)[number];

export interface WakeUpsOptions {
  database: Database;
  logger: Logger;
}

/** Is called with the ids that were told, or with undefined when any may have been missed. */
type Listener = (ids: readonly string[] | undefined) => void;

export const WAKE_UPS_CHANNEL = "wake_ups";
// What is told within this time is told together.
const TOGETHER_MS = 10;
// PostgreSQL takes 8,000 bytes. An id has 24 characters.
const IDS_AT_ONCE = 200;

/**
 * Wakes other processes on the same database. It is only a shortcut: each of them also looks for work by itself, though
 * less often, so a wake-up may be lost.
 */
export class WakeUps {
  readonly #options: WakeUpsOptions;
  readonly #id = randomUUID();
  readonly #listeners = new Map<WakeUp, Set<Listener>>();
  readonly #waiting = new Map<WakeUp, Set<string>>();
  readonly #loop: Loop;

  constructor(options: WakeUpsOptions) {
    this.#options = options;
    this.#loop = new Loop({
      step: () => this.#send(),
      onError: (error) => options.logger.warn({ err: error }, "other processes could not be woken"),
    });
  }

  async start(): Promise<void> {
    await this.#options.database.listen(WAKE_UPS_CHANNEL, (payload) => this.#receive(payload));
    this.#loop.start();
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    this.#listeners.clear();
  }

  /** Returns a function that ends the listening. */
  on(wakeUp: WakeUp, listener: Listener): () => void {
    const listeners = this.#listeners.get(wakeUp) ?? new Set();
    this.#listeners.set(wakeUp, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Tells other processes soon. What concerns this one must be done directly. */
  tell(wakeUp: WakeUp, ids: Iterable<string> = []): void {
    const waiting = this.#waiting.get(wakeUp) ?? new Set();
    for (const id of ids) waiting.add(id);
    this.#waiting.set(wakeUp, waiting);
    this.#loop.wake();
  }

  async #send(): Promise<number | undefined> {
    const [next] = this.#waiting;
    if (!next) return undefined;
    const [wakeUp, waiting] = next;
    this.#waiting.delete(wakeUp);
    const ids = [...waiting];
    const payload = write(this.#id, wakeUp, ids.slice(0, IDS_AT_ONCE));
    if (ids.length > IDS_AT_ONCE) this.tell(wakeUp, ids.slice(IDS_AT_ONCE));
    await this.#options.database.query("select pg_notify($1, $2)", [WAKE_UPS_CHANNEL, payload]);
    await sleep(TOGETHER_MS);
    return this.#waiting.size > 0 ? 0 : undefined;
  }

  #receive(payload: string): void {
    // The connection was lost for a while.
    if (payload === "") {
      for (const listeners of this.#listeners.values()) for (const listener of listeners) listener(undefined);
      return;
    }
    const message = parseJson(payload);
    if (!isObject(message) || message.from === this.#id || !Array.isArray(message.ids)) return;
    // A newer version may tell what this one does not know.
    const wakeUp = WAKE_UPS.find((known) => known === message.wakeUp);
    const ids = message.ids.filter((id) => typeof id === "string");
    for (const listener of (wakeUp && this.#listeners.get(wakeUp)) ?? []) listener(ids);
  }
}

/** The payload with which a holder says that it is gone, in the transaction that ends it. */
export function holdersWakeUp(from: string): string {
  return write(from, "holders", []);
}

function write(from: string, wakeUp: WakeUp, ids: readonly string[]): string {
  return JSON.stringify({ from, wakeUp, ids });
}
