import { EVENT_COLUMNS, type TableColumn } from "./layout.js";

export const PROPERTY_BAGS = ["properties", "context"] as const;
export type PropertyBag = (typeof PROPERTY_BAGS)[number];

/** The kinds of values that get a column. A list is read from the text: DuckDB writes a row anew to change a list in it. */
export const COLUMN_KINDS = ["text", "number", "boolean"] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** What the values of a property can be. `odd` numbers are printed otherwise in the text than the engine prints them. */
export const SEEN = { text: 1, number: 2, boolean: 4, list: 8, odd: 16 } as const;

const SQL_TYPES = { text: "varchar", number: "double", boolean: "boolean" } as const;

/** A row has the columns of all properties whose number is not higher. */
export const FILLED_TO: TableColumn = { name: "filled_to", type: "integer" };

/** A property of events that has a column for each kind of its values. */
export interface ColumnProperty {
  /** As questions name it: `properties.plan`. */
  readonly key: string;
  readonly bag: PropertyBag;
  readonly name: string;
  /** Names its columns. Never changes, and is never given again. */
  readonly id: number;
  /** Rises when older rows must be filled again. */
  number: number;
  /** The kinds of all values that may be in the file, as bits of `SEEN`. */
  seen: number;
  /** What the file says about `seen`. */
  savedSeen: number;
  /** Whether all rows have it in the columns. Until then questions read the text. */
  isComplete: boolean;
  /** The places of its columns in the table. */
  places: Readonly<Partial<Record<ColumnKind, number>>>;
  /** For how many days no question has used it, and when that was counted. */
  unusedDays: number;
  countedAt: number;
  /** Whether a question has used it since. */
  isUsed: boolean;
}

/** A property as the file stores it. */
export type SavedProperty = Pick<
  ColumnProperty,
  "key" | "id" | "number" | "seen" | "isComplete" | "unusedDays" | "countedAt"
>;

/** When a property gets columns, and when it loses them. */
export interface ColumnRules {
  /** A file with fewer events answers fast without columns. */
  readonly leastEvents: number;
  /** How many questions must have used the property, and how long after each other. */
  readonly uses: number;
  readonly apartMs: number;
  /** How many properties of an organization have columns. */
  readonly mostProperties: number;
  readonly unusedDays: number;
  /** How many rows the first page of a filling has. Later pages have as many as their time allows. */
  readonly pageRows: number;
  /** Whether questions read the columns. Tests compare the answers with and without them. */
  readonly areRead: boolean;
}

export const COLUMN_RULES: ColumnRules = {
  leastEvents: 100_000,
  uses: 3,
  apartMs: 1_000,
  // Each property has one column, rarely two. A step takes 30 µs for each column of the table.
  mostProperties: 64,
  unusedDays: 30,
  pageRows: 2_048,
  areRead: true,
};

/** Names come from callers, so only so many are counted. */
const MOST_COUNTED = 1_000;

/** The columns of `events`, and which properties questions use. */
export class EventLayout {
  readonly rules: ColumnRules;
  /** Called when a property should get columns. */
  onWanted: () => void = () => {};
  readonly #properties = new Map<string, ColumnProperty>();
  readonly #byBag = new Map<PropertyBag, Map<string, ColumnProperty>>();
  readonly #uses = new Map<string, { count: number; at: number }>();
  readonly #wanted = new Set<string>();
  #added: readonly TableColumn[] = [];
  #lastId: number;
  #lastNumber: number;

  constructor(
    rules: ColumnRules,
    saved: readonly SavedProperty[],
    added: readonly TableColumn[],
    last: { id: number; number: number },
  ) {
    this.rules = rules;
    this.#lastId = last.id;
    this.#lastNumber = last.number;
    for (const property of saved) this.add(property);
    this.setAdded(added);
  }

  get columns(): readonly TableColumn[] {
    return this.#added.length === 0 ? EVENT_COLUMNS : [...EVENT_COLUMNS, ...this.#added];
  }

  /** The columns behind the fixed ones, in the order of the table. */
  get added(): readonly TableColumn[] {
    return this.#added;
  }

  get properties(): IterableIterator<ColumnProperty> {
    return this.#properties.values();
  }

  get size(): number {
    return this.#properties.size;
  }

  /** Properties that questions have used often and that have no columns. */
  get wanted(): ReadonlySet<string> {
    return this.#wanted;
  }

  /** What `filled_to` is in a new row, and its place; undefined as long as no property has had columns. */
  get filledTo(): { place: number; number: number } | undefined {
    return this.#added.length === 0 ? undefined : { place: EVENT_COLUMNS.length, number: this.#lastNumber };
  }

  get last(): { id: number; number: number } {
    return { id: this.#lastId, number: this.#lastNumber };
  }

  /** The properties of a bag that are written to columns, by name; undefined when there are none. */
  writtenOf(bag: PropertyBag): ReadonlyMap<string, ColumnProperty> | undefined {
    return this.#byBag.get(bag);
  }

  find(key: string): ColumnProperty | undefined {
    return this.#properties.get(key);
  }

  /** Notes that a question asks about a property. Returns it when its columns have all values. */
  use(key: string): ColumnProperty | undefined {
    const property = this.#properties.get(key);
    if (property === undefined) {
      this.#count(key);
      return undefined;
    }
    property.isUsed = true;
    return property.isComplete && this.rules.areRead ? property : undefined;
  }

  #count(key: string): void {
    const { uses, apartMs } = this.rules;
    const now = performance.now();
    const known = this.#uses.get(key);
    if (known && now - known.at < apartMs) return;
    const count = (known?.count ?? 0) + 1;
    this.#uses.delete(key);
    if (count >= uses) {
      this.#wanted.add(key);
      this.onWanted();
      return;
    }
    this.#uses.set(key, { count, at: now });
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MOST_COUNTED && oldest !== undefined) this.#uses.delete(oldest);
  }

  /** Takes the properties that are wanted. Those that get no columns now are counted again. */
  takeWanted(): string[] {
    const keys = [...this.#wanted];
    this.#wanted.clear();
    return keys;
  }

  add(saved: SavedProperty): void {
    const { bag, name } = partsOf(saved.key);
    const property = { ...saved, bag, name, savedSeen: saved.seen, places: {}, isUsed: false };
    this.#properties.set(saved.key, property);
    const named = this.#byBag.get(bag) ?? new Map<string, ColumnProperty>();
    this.#byBag.set(bag, named.set(name, property));
    this.noteLast(saved);
    this.setAdded(this.#added);
  }

  /** Remembers the highest id and number that were given. */
  noteLast({ id = 0, number }: { id?: number; number: number }): void {
    this.#lastId = Math.max(this.#lastId, id);
    this.#lastNumber = Math.max(this.#lastNumber, number);
  }

  remove({ key, bag, name }: ColumnProperty): void {
    this.#properties.delete(key);
    const named = this.#byBag.get(bag);
    named?.delete(name);
    if (named?.size === 0) this.#byBag.delete(bag);
  }

  /** Sets the columns that the table has behind the fixed ones. */
  setAdded(added: readonly TableColumn[]): void {
    this.#added = added;
    const places = new Map(added.map(({ name }, place) => [name, EVENT_COLUMNS.length + place]));
    for (const property of this.#properties.values()) {
      const own = COLUMN_KINDS.map((kind) => [kind, places.get(columnOf(property, kind).name)] as const);
      property.places = Object.fromEntries(own.filter(([, place]) => place !== undefined));
    }
  }
}

/** The column for one kind of the values of a property. It is named by a number, so a name from outside is never the name of a column. */
export function columnOf({ id }: Pick<ColumnProperty, "id">, kind: ColumnKind): TableColumn {
  return { name: `property_${id}_${kind}`, type: SQL_TYPES[kind] };
}

/** The kinds of values that a property has and that have no column yet. */
export function kindsWithoutColumn({ seen, places }: Pick<ColumnProperty, "seen" | "places">): ColumnKind[] {
  return COLUMN_KINDS.filter((kind) => (seen & SEEN[kind]) !== 0 && places[kind] === undefined);
}

/** Whether a question's key is that of a property that can have columns. */
export function isPropertyKey(key: string): boolean {
  return PROPERTY_BAGS.some((bag) => key.startsWith(`${bag}.`) && key.length > bag.length + 1) && key.isWellFormed();
}

function partsOf(key: string): { bag: PropertyBag; name: string } {
  const bag = key.startsWith("context.") ? "context" : "properties";
  return { bag, name: key.slice(bag.length + 1) };
}
