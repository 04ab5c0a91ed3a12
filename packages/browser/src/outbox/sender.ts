import { BrowserError } from "../browser-error.js";
import { byteLength, serialiseJson } from "../serialise-json.js";
import type { Outbox, PageRecord, StoredBatch } from "./outbox.js";
import { waitAfter } from "./wait-after.js";

/**
 * The server's answer to a batch. `again`: retry later, with `isFault` when the batch itself may be the reason;
 * `never`: the server will never accept it.
 */
export type Verdict =
  | { kind: "taken"; rejected: readonly { index: number; message: string }[] }
  | { kind: "again"; waitMs?: number | undefined; isFault?: boolean }
  | { kind: "never"; error: Error };

export interface SenderOptions {
  outbox: Outbox;
  visitor(): StoredBatch["visitor"];
  createId(): string;
  now(): number;
  /** Sends a batch and waits for the answer. */
  send(batch: StoredBatch): Promise<Verdict>;
  /** Hands a batch to the browser, which sends it after the page is gone. */
  leave(batch: StoredBatch): void;
  /** Runs work while no other tab of the site does. */
  alone(work: () => Promise<void>): Promise<void>;
  setTimer(work: () => void, ms: number): void;
}

/** Records that are added within this time are sent together. */
const GATHER_MS = 20;
export const MAX_RECORDS = 50;
/** A browser sends no more than 64 KB after a page is gone. */
export const MAX_BATCH_BYTES = 48_000;
/** Leaves room for the rest of the batch within the largest request that the server accepts. */
export const MAX_RECORD_BYTES = 100_000;
/** After this many server errors for one batch, the sender goes on with the other batches. */
export const MAX_FAULTS = 5;

interface Waiting {
  record: PageRecord;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Sends records in their order, in batches, until the server has them. A batch is stored in the outbox before it is
 * sent, and removed when the server has confirmed it. If the page closes in between, the next page sends it again.
 */
export class Sender {
  readonly #options: SenderOptions;
  #gathered: Waiting[] = [];
  #gatheredBytes = 0;
  /** The visitor that the gathered records are about. Another tab may sign the visitor out before they are stored. */
  #gatheredFor: StoredBatch["visitor"] | undefined;
  /** The promises that wait for the answer to a batch. Batches of other tabs and of earlier pages have none. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #faults = new Map<string, number>();
  /** Batches that the next page will try again. */
  readonly #skipped = new Set<string>();
  #isGathering = false;
  #isSending = false;
  #isAskedAgain = false;
  #isPausing = false;
  #failures = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Resolves when the server has the record. Rejects when it will never take it. */
  add(record: PageRecord): Promise<void> {
    const bytes = byteLength(serialiseJson(record));
    if (bytes > MAX_RECORD_BYTES) {
      const message = `A record has at most ${MAX_RECORD_BYTES} bytes, not ${bytes}.`;
      return Promise.reject(new BrowserError("invalid_argument", message));
    }
    if (this.#gatheredBytes + bytes > MAX_BATCH_BYTES) this.#store();
    this.#gatheredFor ??= this.#options.visitor();
    const added = new Promise<void>((resolve, reject) => this.#gathered.push({ record, resolve, reject }));
    this.#gatheredBytes += bytes;
    if (this.#gathered.length >= MAX_RECORDS) this.#store();
    if (!this.#isGathering) {
      this.#isGathering = true;
      this.#options.setTimer(() => {
        this.#isGathering = false;
        this.flush();
      }, GATHER_MS);
    }
    return added;
  }

  /** Stores the gathered records, and sends the outbox unless the server has asked for a pause. */
  flush(): void {
    this.#store();
    if (this.#isPausing) return;
    if (this.#isSending) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isSending = true;
    this.#isAskedAgain = false;
    this.#options
      .alone(() => this.#drain())
      .catch(() => undefined)
      .finally(() => {
        this.#isSending = false;
        // A record may have come after the last look at the outbox and before the lock was released.
        if (this.#isAskedAgain) this.flush();
      });
  }

  /** Sends now, without waiting for the end of a pause: the browser is online, or the page is shown again. */
  retry(): void {
    this.#isPausing = false;
    this.flush();
  }

  /** Called when the page unloads. Hands unconfirmed batches to the browser. If that fails, the next page sends them. */
  leave(): void {
    this.#store();
    const { outbox, leave } = this.#options;
    const first = outbox.first();
    // Several batches could arrive out of order, so stored batches wait for the next page.
    const leaving = first && outbox.keys().length === 1 ? [first] : outbox.notStored();
    for (const batch of leaving) leave(batch);
  }

  /** Drops everything that is not sent. */
  clear(reason: BrowserError): void {
    for (const { reject } of [...this.#gathered, ...[...this.#waiting.values()].flat()]) reject(reason);
    this.#forgetGathered();
    this.#waiting.clear();
    this.#options.outbox.clear();
  }

  #forgetGathered(): void {
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#gatheredFor = undefined;
  }

  #store(): void {
    const { outbox, now, createId } = this.#options;
    const [taken, visitor] = [this.#gathered, this.#gatheredFor];
    if (!visitor) return;
    this.#forgetGathered();
    const records = taken.map(({ record }) => record);
    const { key, dropped } = outbox.add({ visitor, records }, now(), createId());
    this.#waiting.set(key, taken);
    const error = new BrowserError("unreachable", "Too many records wait for the server: the oldest were dropped.");
    for (const one of dropped) this.#settle(one, { kind: "never", error });
  }

  async #drain(): Promise<void> {
    const { outbox, send } = this.#options;
    for (let batch = outbox.first(this.#skipped); batch; batch = outbox.first(this.#skipped)) {
      const verdict = await send(batch);
      if (verdict.kind === "again") {
        this.#failures += 1;
        if (verdict.isFault) this.#countFault(batch.key);
        return this.#pause(waitAfter(this.#failures, verdict.waitMs));
      }
      this.#failures = 0;
      outbox.remove(batch.key);
      this.#settle(batch.key, verdict);
    }
    // Another tab has sent the batches that are not in the outbox any more.
    const kept = new Set(outbox.keys());
    for (const key of [...this.#waiting.keys()]) {
      if (!kept.has(key)) this.#settle(key, { kind: "taken", rejected: [] });
    }
  }

  /** A batch that makes the server fail each time must not block the others. */
  #countFault(key: string): void {
    const faults = (this.#faults.get(key) ?? 0) + 1;
    this.#faults.set(key, faults);
    if (faults < MAX_FAULTS) return;
    this.#skipped.add(key);
    this.#settle(key, {
      kind: "never",
      error: new BrowserError("refused", "The server failed each time it got this record."),
    });
  }

  #pause(ms: number): void {
    this.#isPausing = true;
    this.#options.setTimer(() => this.retry(), ms);
  }

  #settle(key: string, verdict: Exclude<Verdict, { kind: "again" }>): void {
    const waiting = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    for (const [index, { resolve, reject }] of waiting.entries()) {
      if (verdict.kind === "never") reject(verdict.error);
      else {
        const refusal = verdict.rejected.find((one) => one.index === index);
        if (refusal) reject(new BrowserError("refused", refusal.message));
        else resolve();
      }
    }
  }
}
