import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { BatchReceiver } from "../lib/post-batch.js";
import type { RunningServer } from "../lib/start-server.js";
import type { Maker } from "./shape.js";

/** `quiet` and `end` are answered with the delays of the records, in milliseconds. */
export type NeighbourOrder = "quiet" | "begin" | "end";

export interface NeighbourData {
  server: BatchReceiver;
  token: string;
}

const QUIET_RECORDS = 30;

/** Another user of the same organization, whose records should not notice what others send. */
export class Neighbour {
  readonly #thread: Worker;
  #quietDelays: number[] = [];

  constructor({ url, connectorId, secret }: RunningServer, maker: Maker) {
    const workerData: NeighbourData = { server: { url, connectorId, secret }, token: maker.tokenOf("neighbour") };
    this.#thread = new Worker(new URL("./neighbour-thread.js", import.meta.url), { workerData });
  }

  /** Sends a few records while nobody else sends anything. Returns the longest delay of the last 30 such records. */
  async quietDelayMs(): Promise<number> {
    this.#quietDelays = [...this.#quietDelays, ...(await this.#ask("quiet"))].slice(-QUIET_RECORDS);
    return Math.max(...this.#quietDelays);
  }

  /** The longest delay of a record that was sent while `act` ran, and what `act` returned. */
  async during<Result>(act: () => Promise<Result>): Promise<{ result: Result; delayMs: number }> {
    this.#thread.postMessage("begin" satisfies NeighbourOrder);
    const result = await act();
    return { result, delayMs: Math.max(...(await this.#ask("end"))) };
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  async #ask(order: NeighbourOrder): Promise<number[]> {
    const answered = once(this.#thread, "message");
    this.#thread.postMessage(order);
    const [delays] = await answered;
    return delays as number[];
  }
}
