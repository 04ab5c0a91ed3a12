import type { ClientError } from "../client-error.js";

/** What an accepted entry resolves to. */
export interface Receipt {
  /**
   * Where the entry is in the platform's log: give it as `waitFor` to read your own write.
   * `null` for an entry that was captured instead of sent.
   */
  readonly position: string | null;
}

// Promise, closures and bookkeeping of one entry; counted toward the queue's limit beside its bytes.
const OVERHEAD_BYTES = 500;

/** An entry on its way, and the promise its writer holds. */
export class PendingEntry {
  /** The entry as JSON. */
  readonly text: string;
  /** Size of `text` in the request. */
  readonly bytes: number;
  readonly promise: Promise<Receipt>;
  readonly #onRefused: (error: ClientError) => void;
  #resolve!: (receipt: Receipt) => void;
  #reject!: (error: ClientError) => void;

  constructor(text: string, bytes: number, onRefused: (error: ClientError) => void) {
    this.text = text;
    this.bytes = bytes;
    this.#onRefused = onRefused;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get memoryBytes(): number {
    return this.bytes + OVERHEAD_BYTES;
  }

  accept(receipt: Receipt): void {
    this.#resolve(receipt);
  }

  /** This entry's own verdict: told to whoever holds the promise, and to the log for those who do not look at it. */
  refuse(error: ClientError): void {
    this.#onRefused(error);
    this.abandon(error);
  }

  /** Given up together with the rest of its batch, which is logged once for all of them. */
  abandon(error: ClientError): void {
    ignoreRejection(this.promise);
    this.#reject(error);
  }
}

/** Calling `track` without awaiting it is fine: its failure is logged and must not end the process. */
export function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => {});
}
