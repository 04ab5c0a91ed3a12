import {
  COLUMN_KINDS,
  type ColumnKind,
  type ColumnProperty,
  columnOf,
  kindsWithoutColumn,
  SEEN,
} from "../layout/event-layout.js";
import { type PropertyParts, printNumber, readText } from "../layout/property-parts.js";
import { quoteText } from "../layout/quoting.js";
import { addColumns, saveSeen } from "./event-properties.js";
import type { OrganizationFile } from "./organization-file.js";
import type { FileTransaction } from "./transaction.js";

/** Where a filling is. In memory only: which rows are filled is stored in each row. */
export interface FillPlace {
  /** Properties with a higher number wait for the next filling. */
  target: number;
  /** Rows before this one are filled, unless rows have moved since. */
  from: number;
  /** How many rows the next page has. */
  rows: number;
  /** How many rows there were at the start. */
  all: number;
}

const MOST_ROWS = 32_768;
// What a page costs beside its rows is a few milliseconds, so smaller ones would make the whole take many times as long.
const LEAST_ROWS = 2_048;
// The writer of new events waits for a page, and so do the micro-batches behind it.
const PAGE_MS = 100;

interface Page {
  /** The kinds of values in the page, by property; undefined when no row is left. */
  seen: Map<ColumnProperty, number> | undefined;
  next: number;
  isFilled: boolean;
}

/**
 * Fills one page of older events. Returns where to go on, or undefined when all properties up to the target are complete. A row
 * says itself up to which property it is filled. So a page that is filled twice changes nothing, and rows that a merge, a vacuum or
 * a copy of the file moves meanwhile are found wherever they are.
 */
export async function fillPage(file: OrganizationFile, place: FillPlace): Promise<FillPlace | undefined> {
  const pending = [...file.events.properties].filter(({ isComplete, number }) => !isComplete && number <= place.target);
  if (pending.length === 0) return undefined;
  if (await addMissing(file, pending)) return place;
  let ms = 0;
  const { seen, next, isFilled } = await file.write(async (tx) => {
    const startedAt = performance.now();
    const page = await writePage(file, tx, pending, place);
    ms = performance.now() - startedAt;
    return page;
  });
  if (seen === undefined) return undefined;
  if (!isFilled) {
    for (const [property, kinds] of seen) {
      const missing = kindsWithoutColumn({ seen: kinds, places: property.places });
      if (missing.length > 0) await addColumns(file, property, missing, kinds);
    }
    return place;
  }
  return { ...place, from: next, rows: nextRows(place.rows, ms) };
}

function nextRows(rows: number, ms: number): number {
  if (ms < PAGE_MS / 3) return Math.min(rows * 2, MOST_ROWS);
  return ms > PAGE_MS && rows > LEAST_ROWS ? Math.max(Math.ceil(rows / 2), LEAST_ROWS) : rows;
}

/** Adds columns for kinds of values that new events have brought. */
export async function addMissing(file: OrganizationFile, properties: Iterable<ColumnProperty>): Promise<boolean> {
  let isAdded = false;
  for (const property of [...properties]) {
    const missing = kindsWithoutColumn(property);
    if (missing.length === 0) continue;
    isAdded = true;
    await addColumns(file, property, missing);
  }
  return isAdded;
}

async function writePage(
  file: OrganizationFile,
  tx: FileTransaction,
  pending: readonly ColumnProperty[],
  { target, from, rows }: Readonly<FillPlace>,
): Promise<Page> {
  const events = `${tx.databaseName}.events`;
  const unfilled = `(filled_to is null or filled_to < ${target})`;
  const first =
    (await firstRow(tx, events, `rowid >= ${from} and ${unfilled}`)) ?? (await firstRow(tx, events, unfilled));
  if (first === undefined) {
    completeUpTo(file, tx, target);
    return { seen: undefined, next: 0, isFilled: true };
  }
  const page = `rowid >= ${first} and rowid < ${first + rows} and ${unfilled}`;
  const seen = await seenIn(tx, events, page, pending);
  const next = first + rows;
  if ([...seen].some(([{ places }, kinds]) => kindsWithoutColumn({ seen: kinds, places }).length > 0)) {
    return { seen, next, isFilled: false };
  }
  const values = pending.flatMap((property) => {
    const parts = partsOf(property);
    return kindsOf(seen.get(property) ?? 0).map((kind) => `${columnOf(property, kind).name} = ${parts[kind]}`);
  });
  await tx.run(() => `update ${events} set ${[...values, `filled_to = ${target}`].join(", ")} where ${page}`);
  // Before the commit: a question that reads too much from the text is right too.
  for (const [property, kinds] of seen) property.seen |= kinds;
  saveSeen(file, tx);
  return { seen, next, isFilled: true };
}

/** Stores that all rows have the properties, in the transaction that has found no other row. */
function completeUpTo(file: OrganizationFile, tx: FileTransaction, target: number): void {
  tx.runLater(
    `update ${tx.databaseName}.event_properties set is_complete = true where number <= ${target} and not is_complete`,
  );
  tx.onCommit(() => {
    for (const property of file.events.properties) if (property.number <= target) property.isComplete = true;
  });
}

async function firstRow(tx: FileTransaction, events: string, condition: string): Promise<number | undefined> {
  const [row] = await tx.rows<{ first: bigint }>(`select rowid as first from ${events} where ${condition} limit 1`);
  return row === undefined ? undefined : Number(row.first);
}

function kindsOf(seen: number): ColumnKind[] {
  return COLUMN_KINDS.filter((kind) => (seen & SEEN[kind]) !== 0);
}

/** Which kinds of values the properties have in a page. */
async function seenIn(
  tx: FileTransaction,
  events: string,
  page: string,
  pending: readonly ColumnProperty[],
): Promise<Map<ColumnProperty, number>> {
  const kinds = pending.map(partsOf).map(({ text, printed, printedList }) => {
    const number = `try_cast(${printed} as double)`;
    const tests: Readonly<Record<keyof typeof SEEN, string>> = {
      text: `${text} is not null`,
      number: `${number} is not null`,
      boolean: `${printed} in ('true', 'false')`,
      list: `${printedList} is not null`,
      odd: `${number} is not null and ${printed} <> ${printNumber(number)}`,
    };
    const bits = Object.entries(tests).map(
      ([kind, test]) => `case when ${test} then ${SEEN[kind as keyof typeof SEEN]} else 0 end`,
    );
    return `bit_or(${bits.join(" | ")})`;
  });
  const [row] = await tx.rows<Record<string, number>>(
    `select ${kinds.map((sql, index) => `cast(${sql} as integer) as p${index}`).join(", ")} from ${events} where ${page}`,
  );
  return new Map(pending.map((property, index) => [property, Number(row?.[`p${index}`] ?? 0)]));
}

/** The text is parsed only in rows that have the name. Most events lack most properties. */
function partsOf({ bag, name }: ColumnProperty): PropertyParts {
  const needle = quoteText(`${JSON.stringify(name)}:`);
  const where = (column: string) => `case when contains(${bag}_${column}, ${needle}) then ${bag}_${column} end`;
  return readText(bag, name, where);
}
