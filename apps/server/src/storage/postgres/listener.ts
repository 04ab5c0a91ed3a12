import { Loop } from "../../runtime/loops/loop.js";
import { type KeptClient, type KeptClientOptions, openKeptClient } from "./kept-client.js";

export type ListenerOptions = Omit<KeptClientOptions, "onLost">;

const LONGEST_PAUSE_MS = 5_000;

/**
 * Listens on channels of PostgreSQL, over one connection. When the connection is lost, it connects again, and tells every
 * channel an empty payload, because messages may have been missed.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<(payload: string) => void>>();
  readonly #reconnecting: Loop;
  #opening: Promise<KeptClient> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#reconnecting = new Loop({
      step: async () => {
        if (this.#opening) return undefined;
        await this.#open();
        for (const channel of this.#channels.keys()) this.#tell(channel, "");
        return undefined;
      },
      onError: (error) => options.onError(error as Error),
      lastRetryMs: LONGEST_PAUSE_MS,
    });
  }

  /** Resolves when it listens on the channel too. */
  async listen(channel: string, onMessage: (payload: string) => void): Promise<void> {
    const { client } = await this.#open();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    this.#channels.set(channel, (this.#channels.get(channel) ?? new Set()).add(onMessage));
    this.#reconnecting.start();
    // The connection may have been lost before the new connection knew the channel.
    if (!this.#opening) this.#reconnecting.wake();
  }

  async close(): Promise<void> {
    await this.#reconnecting.stop();
    const kept = await this.#opening?.catch(() => undefined);
    await kept?.close();
  }

  #tell(channel: string, payload: string): void {
    for (const onMessage of this.#channels.get(channel) ?? []) onMessage(payload);
  }

  #open(): Promise<KeptClient> {
    if (this.#opening) return this.#opening;
    const opening = this.#connect();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #connect(): Promise<KeptClient> {
    const kept = await openKeptClient({
      ...this.#options,
      onLost: () => {
        this.#opening = undefined;
        this.#reconnecting.wake();
      },
    });
    const { client } = kept;
    client.on("notification", ({ channel, payload }) => this.#tell(channel, payload ?? ""));
    try {
      for (const channel of this.#channels.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      await kept.close();
      throw error;
    }
    return kept;
  }
}
