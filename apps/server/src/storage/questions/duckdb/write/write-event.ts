import { storedText, storedTime } from "@muster/query";
import type { ProjectedEvent } from "../../projection.js";
import { serialiseEvent } from "../../serialise.js";
import { type EventLayout, SEEN } from "../layout/event-layout.js";
import { isOdd } from "../layout/property-parts.js";
import type { RowWriter } from "../rows/row-writer.js";
import { type ColumnValue, type SeparateProperties, separateProperties } from "./separate-properties.js";

/** Returns a function that writes events as rows, in the order of the columns of the layout. */
export function eventWriter(layout: EventLayout): (event: ProjectedEvent, row: RowWriter) => void {
  const properties = rememberLast(layout, "properties");
  const context = rememberLast(layout, "context");
  const { filledTo } = layout;
  return (event, row) => {
    row.key(0, event.id);
    row.text(1, event.id);
    row.text(2, storedText(event.event));
    row.integer(3, storedTime(event.created_at) ?? 0);
    writeText(row, 4, event.event_id);
    writeId(row, 5, 6, event.user_id);
    if (event.origin_id) row.key(7, event.origin_id);
    writeId(row, 8, 9, event.account_id);
    writeText(row, 10, event.event_source);
    writeText(row, 11, event.event_type);
    writeText(row, 12, event.session_id);
    writeText(row, 13, event.anonymous_id);
    writeText(row, 14, event.entity_id);
    writeProperties(row, 15, properties(event.properties));
    writeProperties(row, 18, context(event.context));
    row.text(21, serialiseEvent(event));
    if (filledTo) row.number(filledTo.place, filledTo.number);
  };
}

/** An empty text means no value. */
function writeText(row: RowWriter, column: number, value: string | null | undefined): void {
  if (value) row.text(column, storedText(value));
}

function writeId(row: RowWriter, keyColumn: number, column: number, id: string | null): void {
  if (!id) return;
  row.key(keyColumn, id);
  row.text(column, storedText(id));
}

function writeProperties(
  row: RowWriter,
  first: number,
  { texts, numbers, lists, inColumns }: SeparateProperties,
): void {
  if (texts !== null) row.text(first, texts);
  if (numbers !== null) row.text(first + 1, numbers);
  if (lists !== null) row.text(first + 2, lists);
  for (const value of inColumns) writeColumn(row, value);
}

/**
 * A kind of values that the property has not had before has no column yet. Questions read it from the text as soon as it is
 * noted here, before the row can be found.
 */
function writeColumn(row: RowWriter, given: ColumnValue): void {
  const { property, kind } = given;
  property.seen |= SEEN[kind];
  if (kind === "list") return;
  if (kind === "number" && isOdd(given.value)) property.seen |= SEEN.odd;
  const place = property.places[kind];
  if (place === undefined) return;
  if (kind === "text") row.text(place, given.value);
  else row.number(place, Number(given.value));
}

/** The events of an evaluation share one object of properties, which is divided only once. */
function rememberLast(
  layout: EventLayout,
  name: "properties" | "context",
): (bag: Readonly<Record<string, unknown>>) => SeparateProperties {
  const written = layout.writtenOf(name);
  let last: { bag: object; parts: SeparateProperties } | undefined;
  return (bag) => {
    if (last?.bag !== bag) last = { bag, parts: separateProperties(bag, written) };
    return last.parts;
  };
}
