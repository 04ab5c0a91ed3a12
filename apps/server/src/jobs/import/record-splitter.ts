/** One record of an import file as it stands there, not parsed. */
export interface RawRecord {
  /** Its line, or its place in a JSON array; from 1. */
  line: number;
  /** Undefined when it is longer than allowed. */
  bytes: Buffer | undefined;
}

/** Cuts a file into records as its bytes come, holding no more than one record at a time. */
export interface RecordSplitter {
  push(chunk: Buffer): RawRecord[];
  /** The record that the file ended in, if it did; throws when the file is not complete. */
  end(): RawRecord[];
}

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

/** A splitter for whichever form the file has: a JSON array when it begins with a bracket, else a record a line. */
export function createRecordSplitter(maxRecordBytes: number): RecordSplitter {
  let chosen: RecordSplitter | undefined;
  let head = Buffer.alloc(0);
  return {
    push(chunk) {
      if (chosen) return chosen.push(chunk);
      head = Buffer.concat([head, chunk]);
      const start = contentStart(head);
      if (start === undefined) return [];
      chosen = head[start] === OPEN_LIST ? new ListSplitter(maxRecordBytes) : new LineSplitter(maxRecordBytes);
      // Line numbers count blank lines at the start too; the bracket is not part of any element.
      return chosen.push(head[start] === OPEN_LIST ? head.subarray(start + 1) : withoutMark(head));
    },
    end: () => chosen?.end() ?? [],
  };
}

/** Where the first byte that means something is; undefined while there is none. */
function contentStart(head: Buffer): number | undefined {
  if (head.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, head.length).equals(head)) return undefined;
  for (let at = head.length - withoutMark(head).length; at < head.length; at++) {
    if (!isBlank(head[at])) return at;
  }
  return undefined;
}

function withoutMark(head: Buffer): Buffer {
  const isMarked = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? head.subarray(BYTE_ORDER_MARK.length) : head;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

/** The bytes of the record in hand, as long as it is not too long. */
class PartialRecord {
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

  /** The whole record; a blank one is none. The next one begins. */
  take(line: number): RawRecord | undefined {
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
  #line = 1;

  constructor(maxRecordBytes: number) {
    this.#record = new PartialRecord(maxRecordBytes);
  }

  push(chunk: Buffer): RawRecord[] {
    const records: RawRecord[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#record.add(chunk.subarray(start, end));
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
  #depth = 1;
  #isInString = false;
  #isEscaped = false;

  constructor(maxRecordBytes: number) {
    this.#record = new PartialRecord(maxRecordBytes);
  }

  push(chunk: Buffer): RawRecord[] {
    const records: RawRecord[] = [];
    let start = 0;
    const finish = (end: number) => {
      this.#record.add(chunk.subarray(start, end));
      const record = this.#record.take(this.#place);
      if (record) records.push(record);
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
          if (this.#depth === 0) finish(at);
          break;
        case COMMA:
          if (this.#depth === 1) finish(at);
          break;
      }
    }
    if (this.#depth > 0) this.#record.add(chunk.subarray(start));
    return records;
  }

  end(): RawRecord[] {
    if (this.#depth > 0) throw new IncompleteFile("The file ends inside its JSON array: it is not complete.");
    return [];
  }
}
