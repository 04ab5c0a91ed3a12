const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Counts the lines of a text that passes in chunks. */
export class LineCounter {
  readonly #isCsv: boolean;
  #count = 0;
  #isQuoted = false;

  /** In CSV, a newline inside quotes belongs to a value. */
  constructor({ isCsv }: { isCsv: boolean }) {
    this.#isCsv = isCsv;
  }

  get count(): number {
    return this.#count;
  }

  /** The same chunks. A chunk may end in the middle of a line. */
  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#count += this.#isCsv ? this.#countRows(chunk) : countNewlines(chunk);
      yield chunk;
    }
  }

  #countRows(chunk: Uint8Array): number {
    let rows = 0;
    let isQuoted = this.#isQuoted;
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === QUOTE) isQuoted = !isQuoted;
      else if (chunk[at] === NEWLINE && !isQuoted) rows += 1;
    }
    this.#isQuoted = isQuoted;
    return rows;
  }
}

function countNewlines(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
