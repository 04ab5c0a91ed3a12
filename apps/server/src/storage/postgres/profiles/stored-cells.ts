import { typeOfId } from "@muster/protocol";
import type { AttributeValue } from "../../../domain/attributes/attribute-values.js";
import type { Cell, Said, Written } from "../../../domain/profiles/profile.js";

/** A value with its time and the index of its source. */
type StoredSaid = [AttributeValue, number, number];

/**
 * The stored form of cells. Most cells of a profile were written by few records, so those of one record are stored together. The
 * names are short because a micro-batch converts thousands of profiles.
 */
export interface StoredCells {
  /** What each record has written: its time, the index of its source in `s`, the values by name, and 1 when they are unproved. */
  w?: [number, number, Record<string, AttributeValue>, 1?][];
  /** What was computed at one time: the time, and by name the value and the id of the computed attribute. */
  x?: [number, Record<string, [AttributeValue, string]>][];
  /** The same of computed values that are unproved. */
  y?: StoredCells["x"];
  /** What was said beside the values of consents, by name. */
  b?: Record<string, StoredSaid>;
  /**
   * The form before `w`, `x` and `b`: by name the value, its time, the index of its source, 1 when it is unproved, and what was
   * said beside it.
   */
  c?: Record<string, [AttributeValue, number, number, (0 | 1)?, StoredSaid?]>;
  /** The sources. */
  s: string[];
}

const MAX_KNOWN_NAMES = 10_000;
const knownBegins = new Map<string, string>();

/** What comes before the value of an attribute. Few names occur, and each of them very often. */
function beginOf(name: string): string {
  const known = knownBegins.get(name);
  if (known !== undefined) return known;
  if (knownBegins.size >= MAX_KNOWN_NAMES) knownBegins.clear();
  const begin = `,${JSON.stringify(name)}:`;
  knownBegins.set(name, begin);
  return begin;
}

/** Members of objects as JSON, each after a comma, by what the members of an object have in common. */
class Groups<Key> {
  readonly keys: Key[] = [];
  readonly members: string[] = [];
  #last = -1;

  add(key: Key, member: string): void {
    // Most cells of a profile come in the order of their records.
    if (this.keys[this.#last] !== key) {
      this.#last = this.keys.lastIndexOf(key);
      if (this.#last === -1) {
        this.#last = this.keys.push(key) - 1;
        this.members.push("");
      }
    }
    this.members[this.#last] += member;
  }

  /** The texts that `print` makes of the groups, as a member of an object; an empty text when there are no groups. */
  print(name: string, print: (key: Key, object: string) => string): string {
    if (this.keys.length === 0) return "";
    let texts = "";
    for (let place = 0; place < this.keys.length; place++) {
      texts += `,[${print(this.keys[place]!, objectOf(this.members[place]!))}]`;
    }
    return `"${name}":[${texts.slice(1)}],`;
  }
}

function objectOf(members: string): string {
  return `{${members.slice(1)}}`;
}

/**
 * The members of the stored form as JSON. The values are serialised one by one, because an object with many computed names is slow
 * to make and to print.
 */
export function serialiseCells(cells: ReadonlyMap<string, Cell>): string {
  const records = new Groups<Written>();
  const computed = new Groups<number>();
  const unprovedComputed = new Groups<number>();
  const sources: string[] = [];
  const indexOf = (source: string) => {
    const index = sources.indexOf(source);
    return index === -1 ? sources.push(source) - 1 : index;
  };
  let beside = "";
  for (const [name, { value, written, beside: other }] of cells) {
    const begin = beginOf(name);
    const text = Number.isFinite(value) ? String(value) : JSON.stringify(value);
    const computedId = computedIdOf(written);
    if (computedId === undefined) records.add(written, begin + text);
    else (written.unproved ? unprovedComputed : computed).add(written.at, `${begin}[${text},"${computedId}"]`);
    if (other) beside += begin + JSON.stringify([other.value, other.written.at, indexOf(other.written.source)]);
  }
  const printed = [
    records.print(
      "w",
      ({ at, source, unproved }, values) => `${at},${indexOf(source)},${values}${unproved ? ",1" : ""}`,
    ),
    computed.print("x", (at, values) => `${at},${values}`),
    unprovedComputed.print("y", (at, values) => `${at},${values}`),
    beside === "" ? "" : `"b":${objectOf(beside)},`,
  ].join("");
  return `${printed}"s":${JSON.stringify(sources)}`;
}

/** Where the source of a computed value begins. */
const COMPUTED = "///";
const COMPUTED_ID = /^\w+$/;

/** The computed attribute that wrote a cell. */
function computedIdOf({ source }: Written): string | undefined {
  if (!source.startsWith(COMPUTED)) return undefined;
  const id = source.slice(COMPUTED.length);
  return COMPUTED_ID.test(id) ? id : undefined;
}

/** `isComputedUnproved` says whether what was computed counts as unproved in the former form, which does not say it. */
export function parseCells(stored: StoredCells, isComputedUnproved: boolean): Map<string, Cell> {
  if (stored.c) return parseFormerCells(stored.c, stored.s, isComputedUnproved);
  const cells = new Map<string, Cell>();
  for (const [at, index, values, mark] of stored.w ?? []) {
    const written = writtenOf(at, stored.s[index] ?? "", mark);
    for (const name in values) cells.set(name, { value: values[name]!, written });
  }
  readComputed(cells, stored.x);
  readComputed(cells, stored.y, { unproved: true });
  for (const name in stored.b) {
    const { value, written } = cells.get(name)!;
    cells.set(name, { value, written, beside: besideOf(written, stored.b[name]!, stored.s) });
  }
  return cells;
}

function readComputed(cells: Map<string, Cell>, stored: StoredCells["x"] = [], mark: { unproved?: true } = {}): void {
  for (const [at, values] of stored) {
    for (const name in values) {
      const [value, computedId] = values[name]!;
      cells.set(name, { value, written: { at, source: COMPUTED + computedId, ...mark } });
    }
  }
}

function parseFormerCells(
  stored: StoredCells["c"] & {},
  sources: readonly string[],
  isComputedUnproved: boolean,
): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  let last: Written | undefined;
  for (const name in stored) {
    const [value, at, index, mark, other] = stored[name]!;
    const source = sources[index] ?? "";
    const written = writtenOf(at, source, isComputedUnproved && source.startsWith(COMPUTED) ? 1 : mark);
    if (at !== last?.at || written.source !== last.source || written.unproved !== last.unproved) last = written;
    cells.set(
      name,
      other ? { value, written: last, beside: besideOf(last, other, sources) } : { value, written: last },
    );
  }
  return cells;
}

/** Values of pages without a token have the platform as their source. Before values were marked, this told them apart. */
function writtenOf(at: number, source: string, mark: 0 | 1 | undefined): Written {
  return mark === 1 || typeOfId(source) === "platform" ? { at, source, unproved: true } : { at, source };
}

/** Of a proved value and an unproved one, what is beside the other. */
function besideOf({ unproved }: Written, [value, at, index]: StoredSaid, sources: readonly string[]): Said {
  const source = sources[index] ?? "";
  return { value, written: unproved ? { at, source } : { at, source, unproved: true } };
}
