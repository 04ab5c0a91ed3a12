import { Loop } from "../../runtime/loop.js";
import { type KeptClient, type KeptClientOptions, openKeptClient } from "./kept-client.js";

export interface ListenerOptions extends Omit<KeptClientOptions, "onLost"> {
  channel: string;
  onMessage(payload: string): void;
}

const LONGEST_PAUSE_MS = 5_000;

/**
 * Listens on a channel of PostgreSQL. When the connection is lost, it connects again, and calls `onMessage` with an empty
 * payload, because messages may have been missed.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #reconnecting: Loop;
  #kept: KeptClient | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#reconnecting = new Loop({
      step: async () => {
        if (!this.#kept) {
          await this.#connect();
          options.onMessage("");
        }
        return undefined;
      },
      onError: (error) => options.onError(error as Error),
      lastRetryMs: LONGEST_PAUSE_MS,
    });
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    await this.#connect();
    this.#reconnecting.start();
  }

  async close(): Promise<void> {
    await this.#reconnecting.stop();
    await this.#kept?.close();
  }

  async #connect(): Promise<void> {
    const { channel, onMessage } = this.#options;
    const kept = await openKeptClient({
      ...this.#options,
      onLost: () => {
        this.#kept = undefined;
        this.#reconnecting.wake();
      },
    });
    kept.client.on("notification", ({ payload }) => onMessage(payload ?? ""));
    this.#kept = kept;
    try {
      await kept.client.query(`listen ${kept.client.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#kept = undefined;
      await kept.close();
      throw error;
    }
  }
}
