import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface ProbedPath {
  url: string;
  headers: Record<string, string>;
}

/** Asks the same question twenty times a second, one after the other, and measures the answers. */
export class GetProbe {
  readonly #thread: Worker;

  constructor(path: ProbedPath) {
    this.#thread = new Worker(new URL("./get-probe-thread.js", import.meta.url), { workerData: path });
  }

  /** Ends the questions. Returns how long each answer took, in milliseconds, sorted. */
  async stop(): Promise<number[]> {
    const ended = once(this.#thread, "message");
    this.#thread.postMessage("stop");
    const [latenciesMs] = (await ended) as [number[]];
    return latenciesMs.sort((one, other) => one - other);
  }
}
