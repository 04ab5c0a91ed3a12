/** A message that waits in a queue: the row of the queue, the place in the batch of the row, and whom it is about. */
export interface WaitingMessage {
  position: number;
  place: number;
  objectId: string;
}

/**
 * Splits the next messages to a connector into a queue for each object. Only the first message of a queue can be sent, so
 * the messages about one user stay in order. The queues do not wait for each other.
 */
export class ObjectQueues<Message extends WaitingMessage> {
  readonly #queues = new Map<string, Message[]>();
  /** The first messages of queues that can be sent now. */
  readonly #ready: Message[] = [];
  /** The first messages of queues that wait for their next attempt, and until when. */
  readonly #paused = new Map<Message, number>();
  #size = 0;

  /** How many messages there are, including those that are being sent. */
  get size(): number {
    return this.#size;
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  /** Adds a message. It may be sent at once, or after the time `notBefore`. */
  add(message: Message, notBefore = 0): void {
    this.#size += 1;
    const queue = this.#queues.get(message.objectId);
    if (!queue) {
      this.#queues.set(message.objectId, [message]);
      this.#offer(message, notBefore);
      return;
    }
    // A row that was committed late may belong before others. The first message may already be in flight.
    const before = queue.findIndex((other, index) => index > 0 && isEarlier(message, other));
    queue.splice(before === -1 ? queue.length : before, 0, message);
  }

  /** Ends the pauses that are over. */
  endPauses(now: number): void {
    for (const [message, until] of this.#paused) {
      if (until > now) continue;
      this.#paused.delete(message);
      this.#ready.push(message);
    }
  }

  /** The next messages to send, `max` at most. Their queues then wait until `remove` or `pause` is called for them. */
  take(max: number): Message[] {
    return this.#ready.splice(0, max);
  }

  /** Removes a message that was taken. The next one of its queue can be sent then. */
  remove(message: Message): void {
    const queue = this.#queues.get(message.objectId);
    if (queue?.shift() !== message) throw new Error("Only a message that was taken can be removed.");
    this.#size -= 1;
    const [next] = queue;
    if (next) this.#ready.push(next);
    else this.#queues.delete(message.objectId);
  }

  /** Lets a message that was taken, and with it its queue, wait for its next attempt. */
  pause(message: Message, until: number): void {
    this.#paused.set(message, until);
  }

  /** When the next pause ends, undefined when there is none. */
  nextAt(): number | undefined {
    let next: number | undefined;
    for (const until of this.#paused.values()) next = Math.min(next ?? until, until);
    return next;
  }

  /** Makes all pauses earlier: for a clock that was set back. */
  shift(ms: number): void {
    for (const [message, until] of this.#paused) this.#paused.set(message, until - ms);
  }

  #offer(message: Message, notBefore: number): void {
    if (notBefore > 0) this.#paused.set(message, notBefore);
    else this.#ready.push(message);
  }
}

function isEarlier(one: WaitingMessage, other: WaitingMessage): boolean {
  return one.position < other.position || (one.position === other.position && one.place < other.place);
}
