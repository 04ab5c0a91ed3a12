const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
/** How deep the elements of the list are: they are in the list, which is in the outermost object. */
const LIST_DEPTH = 2;

/** A part of a text, by its bytes. */
export interface Part {
  start: number;
  end: number;
  /** How many values it holds, those inside objects and lists included. */
  values: number;
  /** How deep objects and lists are nested in it. */
  depth: number;
  /** Whether its texts hold escapes. */
  hasEscapes: boolean;
  /** Whether there is white space between its values. */
  hasSpaces: boolean;
}

/** The list of a JSON object under one of its keys. */
export interface OutlinedList {
  start: number;
  end: number;
  /** Its elements; those beyond `maxElements` are only counted. */
  elements: Part[];
  count: number;
}

/**
 * Finds the outline of JSON text: how many values it holds, and where the elements of one list in it begin and end. It
 * reads a few megabytes in ten milliseconds, where parsing them can take half a second. It does not check the text: what
 * it finds must be parsed.
 */
export class JsonOutline {
  /** How many values the text holds. */
  values = 1;
  /** The list under the key, if the text is an object with one. Of several, the last counts, as in JSON. */
  list: OutlinedList | undefined;
  readonly #bytes: Buffer;
  readonly #key: string | undefined;
  readonly #maxElements: number;
  #at = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last text in the outermost object, which may be a key. */
  #text: { start: number; end: number } = { start: 0, end: 0 };
  #isAtKey = false;
  #maxDepth = 0;
  #escapes = 0;
  #spaces = 0;
  #open:
    | { list: OutlinedList; elementStart: number; before: { values: number; escapes: number; spaces: number } }
    | undefined;

  constructor(bytes: Buffer, list?: { key: string; maxElements: number }) {
    this.#bytes = bytes;
    this.#key = list?.key;
    this.#maxElements = list?.maxElements ?? 0;
  }

  /** Reads the next `length` bytes; false at the end of the text. */
  read(length: number): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#at + length, bytes.length);
    for (let at = this.#at; at < end; at++) {
      if (this.#isInString) {
        at = this.#skipString(at, end);
        continue;
      }
      switch (bytes[at]) {
        case QUOTE:
          this.#isInString = true;
          if (this.#depth === 1) this.#text.start = at;
          break;
        case COLON:
          if (this.#depth === 1) this.#isAtKey = this.#isKey();
          break;
        case OPEN_LIST:
          this.#descend();
          if (this.#depth === 2 && this.#isAtKey) this.#begin(at + 1);
          break;
        case OPEN_OBJECT:
          this.#descend();
          break;
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          if (this.#depth === 2) this.#finish(at);
          this.#depth -= 1;
          break;
        case COMMA:
          this.values += 1;
          if (this.#depth === 1) this.#isAtKey = false;
          else if (this.#depth === 2 && this.#open) this.#endElement(at);
          break;
        case SPACE:
        case TAB:
        case LINE_FEED:
        case CARRIAGE_RETURN:
          this.#spaces += 1;
          break;
      }
    }
    this.#at = end;
    return end < bytes.length;
  }

  /** Reads a text until its end, or until `end`. Returns the place of the last byte that was read. */
  #skipString(start: number, end: number): number {
    const bytes = this.#bytes;
    let at = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      at += 1;
    }
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInString = false;
        this.#text.end = at + 1;
        return at;
      }
      if (byte === BACKSLASH) {
        this.#escapes += 1;
        at += 1;
      }
    }
    // The last byte was a backslash, and what it escapes is still to be read.
    this.#isEscaped = at > end;
    return end - 1;
  }

  #descend(): void {
    this.values += 1;
    this.#depth += 1;
    if (this.#depth > this.#maxDepth) this.#maxDepth = this.#depth;
  }

  #isKey(): boolean {
    const { start, end } = this.#text;
    if (this.#key === undefined || end - start > MAX_KEY_BYTES) return false;
    const text = this.#bytes.toString("utf8", start, end);
    // A key may be written with escapes.
    return text === `"${this.#key}"` || (text.includes("\\") && unescaped(text) === this.#key);
  }

  #begin(at: number): void {
    this.#open = { list: { start: at, end: at, elements: [], count: 0 }, elementStart: at, before: this.#counts() };
    this.#maxDepth = LIST_DEPTH;
  }

  #endElement(at: number): void {
    const open = this.#open!;
    const { list, elementStart: start, before } = open;
    list.count += 1;
    if (list.elements.length < this.#maxElements) {
      list.elements.push({
        start,
        end: at,
        values: this.values - before.values,
        depth: this.#maxDepth - LIST_DEPTH,
        hasEscapes: this.#escapes > before.escapes,
        hasSpaces: this.#spaces > before.spaces,
      });
    }
    open.elementStart = at + 1;
    open.before = this.#counts();
    this.#maxDepth = LIST_DEPTH;
  }

  #counts() {
    return { values: this.values, escapes: this.#escapes, spaces: this.#spaces };
  }

  #finish(at: number): void {
    const open = this.#open;
    if (!open) return;
    const isEmpty = open.list.count === 0 && isBlank(this.#bytes, open.elementStart, at);
    if (!isEmpty) this.#endElement(at);
    open.list.end = at;
    this.list = open.list;
    this.#open = undefined;
    this.#isAtKey = false;
  }
}

// As long as the key can be when each of its characters is an escape.
const MAX_KEY_BYTES = 100;

function unescaped(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return false;
  }
  return true;
}
