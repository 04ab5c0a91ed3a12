import type { KeyRange, RowKey } from "../../storage/questions/extracting.js";

/** What the engine does for the ranges of an extract. */
export interface RangeWork<Work> {
  /** The range after a key; undefined when there is none. */
  nextRange(after: RowKey | undefined): Promise<KeyRange | undefined>;
  work(range: KeyRange): Promise<Work>;
  /** Releases the resources of the work. Called for each range, also when the caller has stopped reading. */
  free?(work: Work): Promise<unknown>;
}

export interface WorkedRange<Work> {
  range: KeyRange;
  work: Work;
}

// The engine works on a range with one thread, so two of them use two processors. More would take more memory.
const AT_ONCE = 2;

/** The ranges after a key in their order. While the caller takes one, the engine works on the next ones. */
export async function* rangesAhead<Work>(
  { nextRange, work, free }: RangeWork<Work>,
  after: RowKey | undefined,
): AsyncGenerator<WorkedRange<Work>> {
  const begun: Promise<WorkedRange<Work> | undefined>[] = [];
  let newest: Promise<KeyRange | undefined> | undefined;
  const beginNext = () => {
    newest = newest ? newest.then((before) => before && nextRange(before.until)) : nextRange(after);
    const working = newest.then(async (range) => range && { range, work: await work(range) });
    // An error is thrown when the caller reaches this range.
    working.catch(() => undefined);
    begun.push(working);
  };
  let current: WorkedRange<Work> | undefined;
  try {
    for (;;) {
      while (begun.length < AT_ONCE) beginNext();
      current = await begun[0];
      if (!current) return;
      void begun.shift();
      beginNext();
      yield current;
      await free?.(current.work);
      current = undefined;
    }
  } finally {
    const left = await Promise.all(begun.map((each) => each.catch(() => undefined)));
    for (const each of [current, ...left]) if (each) await free?.(each.work);
  }
}
