import type { ClientError } from "../client-error.js";

/** The result of an accepted entry. */
export interface Receipt {
  /**
   * The position of the entry in Muster's log. Give it as `waitFor` to read your own write.
   * `null` for an entry that was captured instead of sent.
   */
  readonly position: string | null;
}

// The memory of one entry's promise and closures, which counts toward the queue's limit in addition to its bytes.
const OVERHEAD_BYTES = 500;

/** An entry that is queued or being sent, and the promise that its writer holds. */
export class PendingEntry {
  /** The entry as JSON. */
  readonly text: string;
  /** Size of `text` in the request. */
  readonly bytes: number;
  readonly promise: Promise<Receipt>;
  /** Whether it was accepted or rejected. Its writer may learn that before the sender goes on. */
  isSettled = false;
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
    this.isSettled = true;
    this.#resolve(receipt);
  }

  /** Rejects the promise with the verdict on this entry, and logs it for callers that do not await the promise. */
  refuse(error: ClientError): void {
    this.#onRefused(error);
    this.abandon(error);
  }

  /** Rejects the promise because the whole batch failed, which is logged once for all its entries. */
  abandon(error: ClientError): void {
    ignoreRejection(this.promise);
    this.isSettled = true;
    this.#reject(error);
  }
}

/** A caller need not await `track`: a failure is logged and must not end the process. */
export function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => {});
}
