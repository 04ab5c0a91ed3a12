import type { KeyRange, RowKey } from "../../storage/questions/extracting.js";
import { type RangeWork, rangesAhead } from "./ranges-ahead.js";

export interface RangePrinter extends Pick<RangeWork<unknown>, "nextRange"> {
  /** The text of a range. The engine begins with it when the first piece is asked for. */
  print(range: KeyRange): AsyncIterable<Uint8Array>;
}

export interface PrintedRange {
  range: KeyRange;
  pieces: AsyncIterable<Uint8Array>;
}

interface Printing {
  first: IteratorResult<Uint8Array>;
  rest: AsyncIterator<Uint8Array>;
}

/**
 * Prints the ranges after a key in their order. While the caller takes the pieces of one range, the engine prints the next
 * ones. The pieces of a range must be taken before the next range is asked for.
 */
export async function* printRanges(
  { nextRange, print }: RangePrinter,
  after: RowKey | undefined,
): AsyncGenerator<PrintedRange> {
  const printing: RangeWork<Printing> = {
    nextRange,
    async work(range) {
      const rest = print(range)[Symbol.asyncIterator]();
      return { first: await rest.next(), rest };
    },
    free: async ({ rest }) => rest.return?.(),
  };
  for await (const { range, work } of rangesAhead(printing, after)) yield { range, pieces: piecesOf(work) };
}

async function* piecesOf({ first, rest }: Printing): AsyncGenerator<Uint8Array> {
  for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
}
