import { type ColumnRules, EventLayout, type SavedProperty } from "../layout/event-layout.js";
import { EVENT_COLUMNS, type TableColumn } from "../layout/layout.js";
import type { Engine } from "./engine.js";

interface PropertyRow {
  [column: string]: unknown;
  id: number;
  key: string;
  number: number;
  seen: number;
  is_complete: boolean;
  is_dropped: boolean;
  unused_days: number;
  counted_at: bigint;
}

/** Reads which columns the table of events has. */
export async function readEventLayout(
  engine: Engine,
  databaseName: string,
  rules: ColumnRules,
  hasProperties: boolean,
): Promise<EventLayout> {
  if (!hasProperties) return new EventLayout(rules, [], [], { id: 0, number: 0 });
  const ask = <Found extends Record<string, unknown>>(sql: string) => engine.rows<Found>({ sql, params: {} });
  const rows = await ask<PropertyRow>(`select * from ${databaseName}.event_properties`);
  const columns = await ask<{ name: string; type: string }>(
    `select column_name as name, lower(data_type) as type from duckdb_columns()
     where database_name = '${databaseName}' and table_name = 'events' order by column_index`,
  );
  const added = columns.slice(EVENT_COLUMNS.length) as TableColumn[];
  const saved = rows.filter(({ is_dropped }) => !is_dropped).map(readRow);
  const highest = (column: "id" | "number") => rows.reduce((most, row) => Math.max(most, row[column]), 0);
  return new EventLayout(rules, saved, added, { id: highest("id"), number: highest("number") });
}

function readRow({ id, key, number, seen, is_complete, unused_days, counted_at }: PropertyRow): SavedProperty {
  return { id, key, number, seen, isComplete: is_complete, unusedDays: unused_days, countedAt: Number(counted_at) };
}
