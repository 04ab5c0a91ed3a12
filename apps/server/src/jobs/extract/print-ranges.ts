import type { KeyRange, RowKey } from "../../storage/questions/extracting.js";

export interface RangePrinter {
  /** The range after a key; undefined when there is none. */
  nextRange(after: RowKey | undefined): Promise<KeyRange | undefined>;
  /** The text of a range. The engine begins with it when the first piece is asked for. */
  print(range: KeyRange): AsyncIterable<Uint8Array>;
}

export interface PrintedRange {
  range: KeyRange;
  pieces: AsyncIterable<Uint8Array>;
}

interface BegunRange {
  range: KeyRange;
  first: Promise<IteratorResult<Uint8Array>>;
  rest: AsyncIterator<Uint8Array>;
}

/**
 * Prints the ranges after a key in their order. While the caller takes the pieces of one range, the engine prints the next
 * one. The pieces of a range must be taken before the next range is asked for.
 */
export async function* printRanges(
  { nextRange, print }: RangePrinter,
  after: RowKey | undefined,
): AsyncGenerator<PrintedRange> {
  const begun = new Set<BegunRange>();
  const begin = async (key: RowKey | undefined): Promise<BegunRange | undefined> => {
    const range = await nextRange(key);
    if (!range) return undefined;
    const rest = print(range)[Symbol.asyncIterator]();
    const started = { range, first: rest.next(), rest };
    // Its error is thrown to the caller, who takes the first piece later.
    started.first.catch(() => undefined);
    begun.add(started);
    return started;
  };
  let next: Promise<BegunRange | undefined> | undefined;
  try {
    let current = await begin(after);
    while (current) {
      next = begin(current.range.until);
      next.catch(() => undefined);
      yield { range: current.range, pieces: piecesOf(current) };
      begun.delete(current);
      current = await next;
    }
  } finally {
    // Those that the caller did not take to their end: the engine has files and memory for them.
    await next?.catch(() => undefined);
    for (const { rest } of begun) await rest.return?.().catch(() => undefined);
  }
}

async function* piecesOf({ first, rest }: BegunRange): AsyncGenerator<Uint8Array> {
  for (let piece = await first; !piece.done; piece = await rest.next()) yield piece.value;
}
