/** The events up to this many are remembered twice: the latest ones, and those before them. */
const MAX_REMEMBERED = 20_000;

interface Generation {
  readonly ids: Set<string>;
  /** The latest time of an event in it. */
  latest: number;
}

/**
 * Knows the events that were written last, and so which events are new to the file. Looking for earlier rows of new events
 * in the file is a large part of a small step.
 */
export class RecentEvents {
  /** All events in the file that are not older than this are remembered. */
  #completeFrom: number;
  #before = generation();
  #now = generation();

  /** @param latest The latest time of an event in the file. */
  constructor(latest: number) {
    this.#completeFrom = latest + 1;
  }

  /** Whether the file may have an earlier row of an event. Rows with equal ids have equal times. */
  mayHave(id: string, createdAt: number): boolean {
    return !(createdAt >= this.#completeFrom) || this.#now.ids.has(id) || this.#before.ids.has(id);
  }

  /** Must be called for each event before it is written. It does no harm if the event is not written after all. */
  add(id: string, createdAt: number): void {
    if (!(createdAt >= this.#completeFrom)) return;
    if (this.#now.ids.size >= MAX_REMEMBERED) {
      this.#completeFrom = Math.max(this.#completeFrom, this.#before.latest + 1);
      this.#before = this.#now;
      this.#now = generation();
    }
    this.#now.ids.add(id);
    this.#now.latest = Math.max(this.#now.latest, createdAt);
  }
}

function generation(): Generation {
  return { ids: new Set(), latest: Number.NEGATIVE_INFINITY };
}
