import type { SubjectType } from "@muster/protocol";
import { type FieldType, storedBoolean, storedElements, storedNumber, storedText, storedTime } from "@muster/query";
import type { SubjectDocument, TypeOf } from "../../projection.js";
import { serialiseReport } from "../../serialise.js";
import { type FieldColumn, SubjectLayout } from "../layout/layout.js";
import type { RowWriter } from "../rows/row-writer.js";

/** The typed fields that have a value in one of the documents and no column of their type yet. */
export function fieldsOf(
  subjectType: SubjectType,
  documents: readonly SubjectDocument[],
  layout: SubjectLayout,
  typeOf: TypeOf,
): Map<string, FieldType> {
  const fields = new Map<string, FieldType>();
  const checked = new Set<string>();
  for (const { report } of documents) {
    for (const key of Object.keys(report)) {
      if (report[key] === null || checked.has(key)) continue;
      checked.add(key);
      if (!SubjectLayout.hasFieldColumn(key)) continue;
      const type = typeOf(subjectType, key);
      if (type !== undefined && layout.find(key)?.field !== type) fields.set(key, type);
    }
  }
  return fields;
}

/** Writes a document as a row. A field without a column is part of the report but cannot be queried. */
export function writeDocument(
  subjectType: SubjectType,
  document: SubjectDocument,
  layout: SubjectLayout,
  row: RowWriter,
): void {
  const { report, accountId } = document;
  const id = String(report.id);
  row.key(0, id);
  row.text(1, id);
  row.integer(2, storedTime(report.created_at) ?? 0);
  row.text(3, serialiseReport(document));
  if (subjectType === "user" && accountId !== undefined) {
    row.key(4, accountId);
    row.text(5, accountId);
  }
  for (const key of Object.keys(report)) {
    const value = report[key];
    if (value === null || value === undefined) continue;
    const column = layout.find(key);
    if (column) writeField(column, value, row);
  }
}

function writeField({ index, field }: FieldColumn, value: unknown, row: RowWriter): void {
  switch (field) {
    case "string":
      row.text(index, storedText(value));
      break;
    case "json":
      row.text(index, storedText(JSON.stringify(value)));
      break;
    case "numeric":
      writeNumber(row, index, storedNumber(value));
      break;
    case "date":
      writeNumber(row, index, storedTime(value));
      break;
    case "boolean":
      row.number(index, storedBoolean(value) ? 1 : 0);
      break;
    case "array": {
      const elements = storedElements(value);
      if (elements.length > 0) row.list(index, elements);
    }
  }
}

function writeNumber(row: RowWriter, column: number, value: number | undefined): void {
  if (value !== undefined) row.number(column, value);
}
