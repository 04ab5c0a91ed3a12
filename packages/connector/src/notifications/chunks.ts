import type { Context } from "../context/context.js";

interface Chunk {
  ctx: Context;
  messages: Record<string, unknown>[];
  handled: Promise<Context>;
  handle(): void;
}

/**
 * Collects single messages until a chunk is full or has waited long enough. The caller of `add` learns the result of
 * its chunk, so that a message is acknowledged only after it has been handled.
 */
export class Chunks {
  readonly #waiting = new Map<string, Chunk>();
  readonly #handle: (ctx: Context, messages: Record<string, unknown>[]) => Promise<void>;
  readonly #maxSize: number;
  readonly #maxTimeMs: number;

  constructor(
    limits: { maxSize: number; maxTimeMs: number },
    handle: (ctx: Context, messages: Record<string, unknown>[]) => Promise<void>,
  ) {
    this.#maxSize = limits.maxSize;
    this.#maxTimeMs = limits.maxTimeMs;
    this.#handle = handle;
  }

  /**
   * Resolves when the chunk that holds the message has been handled, with the context that the handler got. Messages with
   * different keys share no chunk.
   */
  add(key: string, ctx: Context, message: Record<string, unknown>): Promise<Context> {
    const chunk = this.#waiting.get(key) ?? this.#open(key, ctx);
    chunk.messages.push(message);
    if (chunk.messages.length >= this.#maxSize) chunk.handle();
    return chunk.handled;
  }

  #open(key: string, ctx: Context): Chunk {
    const { promise, resolve } = withResolvers();
    const messages: Record<string, unknown>[] = [];
    const handle = () => {
      clearTimeout(timer);
      this.#waiting.delete(key);
      resolve();
    };
    const timer = setTimeout(handle, this.#maxTimeMs);
    const handled = promise.then(async () => {
      await this.#handle(ctx, messages);
      return ctx;
    });
    const chunk = { ctx, messages, handle, handled };
    this.#waiting.set(key, chunk);
    return chunk;
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
