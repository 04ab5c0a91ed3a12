/** The `this` of a listener. */
export interface BusContext {
  /** The name of the event that was emitted, which a listener with a wildcard does not know otherwise. */
  readonly event: string;
}

/** `never` lets a listener declare the arguments that its event has. */
export type Listener = (this: BusContext, ...args: never[]) => unknown;

interface Subscription {
  readonly pattern: string | undefined;
  readonly listener: Listener;
  remaining: number;
}

/**
 * Named events with listeners. Names consist of words with dots in between. In the name that a listener is for, `*` is
 * any word and `**` is any number of words.
 */
export class Bus {
  #subscriptions: Subscription[] = [];

  on(name: string, listener: Listener): void {
    this.many(name, Number.POSITIVE_INFINITY, listener);
  }

  once(name: string, listener: Listener): void {
    this.many(name, 1, listener);
  }

  /** Calls a listener for the next `times` events with this name. */
  many(name: string, times: number, listener: Listener): void {
    this.#subscriptions.push({ pattern: name, listener, remaining: times });
  }

  /** Removes a listener. It must be the same function that was added. */
  off(name: string, listener: Listener): void {
    this.#remove((one) => one.pattern === name && one.listener === listener);
  }

  /** Calls a listener for every event. Its first argument is the name of the event. */
  onAny(listener: Listener): void {
    this.#subscriptions.push({ pattern: undefined, listener, remaining: Number.POSITIVE_INFINITY });
  }

  offAny(listener: Listener): void {
    this.#remove((one) => one.pattern === undefined && one.listener === listener);
  }

  /** Calls the listeners in the order in which they were added. A listener that throws does not stop the others. */
  emit(name: string, ...args: readonly unknown[]): void {
    for (const subscription of [...this.#subscriptions]) {
      const { pattern, listener } = subscription;
      if (subscription.remaining <= 0 || (pattern !== undefined && !matches(pattern, name))) continue;
      subscription.remaining -= 1;
      if (subscription.remaining <= 0) this.#remove((one) => one === subscription);
      try {
        const given = pattern === undefined ? [name, ...args] : args;
        listener.apply({ event: name }, given as never[]);
      } catch (error) {
        console.error(`A listener of "${name}" failed.`, error);
      }
    }
  }

  #remove(isRemoved: (subscription: Subscription) => boolean): void {
    this.#subscriptions = this.#subscriptions.filter((one) => !isRemoved(one));
  }
}

function matches(pattern: string, name: string): boolean {
  return pattern === name || (pattern.includes("*") && wordsMatch(pattern.split("."), name.split(".")));
}

function wordsMatch(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === "**") {
    // Further `**` in a row mean the same as one.
    return words.some((_, at) => wordsMatch(rest, words.slice(at))) || wordsMatch(rest, []);
  }
  const [word, ...others] = words;
  return word !== undefined && (first === "*" || first === word) && wordsMatch(rest, others);
}
