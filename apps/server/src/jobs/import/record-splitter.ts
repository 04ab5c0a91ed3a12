/** One record of an import file as it stands there, not parsed. */
export interface RawRecord {
  /** Its line, or its place in a JSON array; from 1. */
  line: number;
  /** Undefined when it is longer than allowed. */
  bytes: Buffer | undefined;
}

/** Splits a file into records while it is read. It holds one incomplete record at most. */
export interface RecordSplitter {
  push(chunk: Buffer): RawRecord[];
  /** The last record, when no line end follows it. Throws when records would be missing. */
  end(): RawRecord[];
}

/** The file ends too early, or something in it hides the records after it. */
export class IncompleteFile extends Error {
  override readonly name = "IncompleteFile";
}

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A splitter for both forms of files: a JSON array when the file begins with a bracket, else one record a line. */
export function createRecordSplitter(maxRecordBytes: number): RecordSplitter {
  let chosen: RecordSplitter | undefined;
  const head = new FileHead();
  return {
    push(chunk) {
      if (chosen) return chosen.push(chunk);
      const content = head.skip(chunk);
      if (content === undefined) return [];
      const isList = content[0] === OPEN_LIST;
      chosen = isList ? new ListSplitter(maxRecordBytes) : new LineSplitter(maxRecordBytes, head.lines + 1);
      // The opening bracket is not part of any element.
      return chosen.push(isList ? content.subarray(1) : content);
    },
    end: () => chosen?.end() ?? [],
  };
}

/** Skips what may stand before the first record: a byte order mark and blank bytes. It holds none of them. */
class FileHead {
  /** The line ends that were skipped. */
  lines = 0;
  #marked = 0;
  #isInMark = true;

  /** The chunk from its first byte that counts; undefined when it has none. */
  skip(chunk: Buffer): Buffer | undefined {
    let at = this.#isInMark ? this.#skipMark(chunk) : 0;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (!isBlank(byte)) return chunk.subarray(at);
      if (byte === NEWLINE) this.lines += 1;
    }
    return undefined;
  }

  #skipMark(chunk: Buffer): number {
    let at = 0;
    while (at < chunk.length && this.#marked < BYTE_ORDER_MARK.length && chunk[at] === BYTE_ORDER_MARK[this.#marked]) {
      at += 1;
      this.#marked += 1;
    }
    this.#isInMark = at === chunk.length && this.#marked < BYTE_ORDER_MARK.length;
    return at;
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

/** Collects the bytes of the record that is being read, and drops them when the record gets too long. */
export class PartialRecord {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** Returns the complete record, or undefined when it is blank, and begins the next one. */
  take(line: number): RawRecord | undefined {
    if (this.#bytes === 0) return undefined;
    const isTooLong = this.#bytes > this.#maxBytes;
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    if (isTooLong) return { line, bytes: undefined };
    return bytes.every(isBlank) ? undefined : { line, bytes };
  }
}

class LineSplitter implements RecordSplitter {
  readonly #record: PartialRecord;
  #line: number;

  constructor(maxRecordBytes: number, firstLine: number) {
    this.#record = new PartialRecord(maxRecordBytes);
    this.#line = firstLine;
  }

  push(chunk: Buffer): RawRecord[] {
    const records: RawRecord[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (end > start) this.#record.add(chunk.subarray(start, end));
      const record = this.#record.take(this.#line);
      if (record) records.push(record);
      this.#line += 1;
      start = end + 1;
    }
    this.#record.add(chunk.subarray(start));
    return records;
  }

  end(): RawRecord[] {
    const record = this.#record.take(this.#line);
    return record ? [record] : [];
  }
}

/** Elements end at a comma or bracket that is in no string and no inner object or list. */
class ListSplitter implements RecordSplitter {
  readonly #record: PartialRecord;
  #place = 1;
  #lastPlace = 0;
  #depth = 1;
  #problem: string | undefined;
  #isInString = false;
  #isEscaped = false;

  constructor(maxRecordBytes: number) {
    this.#record = new PartialRecord(maxRecordBytes);
  }

  push(chunk: Buffer): RawRecord[] {
    // Thrown only now, so that the records before it were returned.
    this.#requireNoProblem();
    const records: RawRecord[] = [];
    let start = 0;
    const finish = (end: number) => {
      if (end > start) this.#record.add(chunk.subarray(start, end));
      const record = this.#record.take(this.#place);
      if (record) {
        records.push(record);
        this.#lastPlace = this.#place;
      }
      this.#place += 1;
      start = end + 1;
    };
    for (let at = 0; at < chunk.length && this.#depth > 0; at++) {
      const byte = chunk[at];
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#isInString = true;
          break;
        case OPEN_OBJECT:
        case OPEN_LIST:
          this.#depth += 1;
          break;
        case CLOSE_OBJECT:
        case CLOSE_LIST:
          this.#depth -= 1;
          if (this.#depth > 0) break;
          finish(at);
          if (byte === CLOSE_OBJECT) {
            this.#problem = `A brace closes its JSON array after record ${this.#lastPlace}: there is a closing brace too many.`;
          }
          break;
        case COMMA:
          if (this.#depth === 1) finish(at);
          break;
      }
    }
    const rest = chunk.subarray(start);
    if (this.#depth > 0) this.#record.add(rest);
    else if (!rest.every(isBlank)) {
      this.#problem ??= `More comes after its JSON array, which ends after record ${this.#lastPlace}: a file has one array, or one record a line.`;
    }
    return records;
  }

  end(): RawRecord[] {
    this.#requireNoProblem();
    if (this.#depth > 0) throw new IncompleteFile("The file ends inside its JSON array: it is not complete.");
    return [];
  }

  #requireNoProblem(): void {
    if (this.#problem !== undefined) throw new IncompleteFile(`The file cannot be read to its end. ${this.#problem}`);
  }
}
