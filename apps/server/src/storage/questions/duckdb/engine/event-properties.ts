import {
  type ColumnKind,
  type ColumnProperty,
  columnOf,
  FILLED_TO,
  kindsWithoutColumn,
  type SavedProperty,
  SEEN,
} from "../layout/event-layout.js";
import { COLUMNS_FILE_VERSION, EVENT_COLUMNS, type TableColumn } from "../layout/layout.js";
import type { OrganizationFile } from "./organization-file.js";
import type { FileTransaction } from "./transaction.js";

// Which properties of events have columns is stored in the file, in the transactions that add and fill the columns. The table
// is created when the first property gets columns: a file without any is as it was before there were columns.

const PROPERTY_COLUMNS: readonly TableColumn[] = [
  { name: "id", type: "integer" },
  { name: "key", type: "varchar" },
  { name: "number", type: "integer" },
  { name: "seen", type: "integer" },
  { name: "is_complete", type: "boolean" },
  { name: "is_dropped", type: "boolean" },
  { name: "unused_days", type: "integer" },
  { name: "counted_at", type: "bigint" },
];

/** Chooses properties. From here on new events have them in columns; older events get them later. */
export function chooseProperties(file: OrganizationFile, keys: readonly string[], now: number): Promise<void> {
  return file.write(async (tx) => {
    const { events } = file;
    const isFirst = events.filledTo === undefined;
    if (isFirst) createTables(tx, Math.max(file.version, COLUMNS_FILE_VERSION));
    const { id, number } = events.last;
    const chosen = keys.map((key, index): SavedProperty => {
      const place = index + 1;
      return { key, id: id + place, number: number + place, seen: 0, isComplete: false, unusedDays: 0, countedAt: now };
    });
    await tx.append("event_properties", PROPERTY_COLUMNS, chosen, (property, row) => {
      row.number(0, property.id);
      row.text(1, property.key);
      row.number(2, property.number);
      row.number(3, 0);
      row.number(4, 0);
      row.number(5, 0);
      row.number(6, 0);
      row.integer(7, now);
    });
    tx.onCommit(() => {
      if (isFirst) {
        events.setAdded([FILLED_TO]);
        file.version = Math.max(file.version, COLUMNS_FILE_VERSION);
      }
      for (const property of chosen) events.add(property);
    });
  });
}

function createTables(tx: FileTransaction, version: number): void {
  const columns = PROPERTY_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ");
  tx.runLater(`create table ${tx.databaseName}.event_properties (${columns})`);
  tx.runLater(`alter table ${tx.databaseName}.events add column ${FILLED_TO.name} ${FILLED_TO.type}`);
  // An older program would write rows without the new columns. It fills a file of an unknown version again.
  tx.runLater(`update ${tx.databaseName}.progress set version = ${version}`);
}

/**
 * Adds columns for kinds of values; `seen` are all kinds of a page that is to be filled. Rows that count as filled may have such
 * values and no column for them: those that were written since the kind was first seen. Then all rows are filled again.
 */
export function addColumns(
  file: OrganizationFile,
  property: ColumnProperty,
  kinds: readonly ColumnKind[],
  seen = 0,
): Promise<void> {
  return file.write(async (tx) => {
    const { events } = file;
    // Looked up in the transaction, because a new event may have brought the kind just before.
    const mustRefill = kinds.some((kind) => (property.seen & SEEN[kind]) !== 0);
    const columns = kinds.map((kind) => columnOf(property, kind));
    for (const { name, type } of columns) {
      tx.runLater(`alter table ${tx.databaseName}.events add column ${name} ${type}`);
    }
    const number = mustRefill ? events.last.number + 1 : property.number;
    const isComplete = property.isComplete && !mustRefill;
    const all = property.seen | seen;
    tx.runLater(
      `update ${tx.databaseName}.event_properties
       set number = ${number}, seen = ${all}, is_complete = ${isComplete} where id = ${property.id}`,
    );
    tx.onCommit(() => {
      Object.assign(property, { number, isComplete, seen: property.seen | all, savedSeen: property.savedSeen | all });
      events.noteLast({ number });
      events.setAdded([...events.added, ...columns]);
    });
  });
}

/**
 * Drops the columns of a property that no question uses. Returns false when one has used it just now. Its row stays, so that its
 * id and number are not given again.
 */
export async function dropProperty(file: OrganizationFile, property: ColumnProperty): Promise<boolean> {
  if (property.isUsed) return false;
  // From now on questions read the text. Should the drop fail, the property is found complete again.
  property.isComplete = false;
  await file.write(async (tx) => {
    const { events } = file;
    const own = new Set(Object.values(property.places));
    const dropped = events.added.filter((_, index) => own.has(EVENT_COLUMNS.length + index));
    for (const { name } of dropped) tx.runLater(`alter table ${tx.databaseName}.events drop column ${name}`);
    tx.runLater(`update ${tx.databaseName}.event_properties set is_dropped = true where id = ${property.id}`);
    tx.onCommit(() => {
      events.remove(property);
      events.setAdded(events.added.filter((column) => !dropped.includes(column)));
    });
  });
  return true;
}

/** Stores for how many days properties were not used. */
export function saveUnusedDays(
  file: OrganizationFile,
  counted: readonly { property: ColumnProperty; unusedDays: number }[],
  now: number,
): Promise<void> {
  return file.write(async (tx) => {
    for (const { property, unusedDays } of counted) {
      tx.runLater(
        `update ${tx.databaseName}.event_properties set unused_days = ${unusedDays}, counted_at = ${now} where id = ${property.id}`,
      );
      tx.onCommit(() => Object.assign(property, { unusedDays, countedAt: now, isUsed: false }));
    }
  });
}

/** Stores, as part of a transaction, which kinds of values its rows have brought to the properties with columns. */
export function saveSeen(file: OrganizationFile, tx: FileTransaction): void {
  for (const property of file.events.properties) {
    const { id, seen } = property;
    if (seen === property.savedSeen) continue;
    tx.runLater(`update ${tx.databaseName}.event_properties set seen = ${seen} where id = ${id}`);
    tx.onCommit(() => {
      property.savedSeen |= seen;
      if (kindsWithoutColumn(property).length > 0) file.events.onWanted();
    });
  }
}
