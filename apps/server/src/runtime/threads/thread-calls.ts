import type { TransferListItem } from "node:worker_threads";
import { type EncodedError, ThreadErrors } from "./thread-errors.js";

/** A port of a message channel, a worker, or the port of a worker to its parent. */
export interface CallPort {
  postMessage(message: unknown, transfer?: readonly TransferListItem[]): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

type Method = (...args: never[]) => unknown;
/** Functions only. */
export type Methods<Calls> = { [Name in keyof Calls]: Method };
type Arguments<Calls extends Methods<Calls>, Name extends keyof Calls> = Parameters<Calls[Name]>;

/** What a function answers when it gives buffers away with its answer. */
export class Transferred<Value> {
  readonly value: Value;
  readonly transfer: readonly TransferListItem[];

  constructor(value: Value, transfer: readonly TransferListItem[]) {
    this.value = value;
    this.transfer = transfer;
  }
}

type Received<Value> = Value extends Transferred<infer Given> ? Given : Value;
type Answer<Calls extends Methods<Calls>, Name extends keyof Calls> = Received<Awaited<ReturnType<Calls[Name]>>>;

type Message =
  | { call: string; args: unknown[]; id: number | undefined }
  | { answer: number; value: unknown }
  | { answer: number; error: EncodedError };

/**
 * Calls functions of another thread, and lets the other thread call `own` functions. Both threads make one object with
 * the two ends of a port. Calls arrive in their order.
 */
export class ThreadCalls<Calls extends Methods<Calls>> {
  readonly #port: CallPort;
  readonly #own: Record<string, (...args: unknown[]) => unknown>;
  readonly #errors: ThreadErrors;
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #lastId = 0;
  /** Why nobody answers any more. */
  #end: Error | undefined;

  /** `errors` names the classes of errors that both threads know. */
  constructor(port: CallPort, own: object, errors = new ThreadErrors()) {
    this.#port = port;
    // The other thread calls with the arguments that the types of its `Calls` demand.
    this.#own = own as Record<string, (...args: unknown[]) => unknown>;
    this.#errors = errors;
    port.on("message", (message) => this.#take(message as Message));
  }

  /** How many calls wait for their answers. */
  get unanswered(): number {
    return this.#asked.size;
  }

  /** Calls a function of the other thread. `transfer` has buffers and ports that are given away with the arguments. */
  tell<Name extends keyof Calls & string>(
    name: Name,
    args: Arguments<Calls, Name>,
    transfer: readonly TransferListItem[] = [],
  ): void {
    this.#post({ call: name, args, id: undefined }, transfer);
  }

  /** Calls a function of the other thread and returns its answer. */
  ask<Name extends keyof Calls & string>(
    name: Name,
    args: Arguments<Calls, Name>,
    transfer: readonly TransferListItem[] = [],
  ): Promise<Answer<Calls, Name>> {
    if (this.#end) return Promise.reject(this.#end);
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    this.#post({ call: name, args, id }, transfer);
    return answer as Promise<Answer<Calls, Name>>;
  }

  /** Nobody answers any more: calls that wait and all later ones fail with this error. */
  end(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#asked.values()) reject(this.#end);
    this.#asked.clear();
  }

  #post(message: Message, transfer: readonly TransferListItem[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #take(message: Message): void {
    if ("call" in message) {
      if (message.id === undefined) this.#own[message.call]?.(...message.args);
      else void this.#answer(message.call, message.args, message.id);
      return;
    }
    const asked = this.#asked.get(message.answer);
    this.#asked.delete(message.answer);
    if ("error" in message) asked?.reject(this.#errors.decode(message.error));
    else asked?.resolve(message.value);
  }

  async #answer(name: string, args: readonly unknown[], id: number): Promise<void> {
    try {
      const value = await this.#own[name]?.(...args);
      if (value instanceof Transferred) this.#post({ answer: id, value: value.value }, value.transfer);
      else this.#post({ answer: id, value });
    } catch (error) {
      this.#post({ answer: id, error: this.#errors.encode(error) });
    }
  }
}
