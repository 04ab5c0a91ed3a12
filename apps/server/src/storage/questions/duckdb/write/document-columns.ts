import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { SubjectType } from "@muster/protocol";
import { type FieldType, storedBoolean, storedElements, storedNumber, storedText, storedTime } from "@muster/query";
import type { Report } from "../../../../domain/profiles/report.js";
import type { SubjectDocument, TypeOf } from "../../projection.js";
import { keyOf } from "../layout/keys.js";
import { SubjectLayout } from "../layout/layout.js";
import type { ColumnValues } from "./fill-column.js";

/** The typed fields that have a value in one of the documents and no column yet. */
export function fieldsOf(
  subjectType: SubjectType,
  documents: readonly SubjectDocument[],
  layout: SubjectLayout,
  typeOf: TypeOf,
): Map<string, FieldType> {
  const fields = new Map<string, FieldType>();
  for (const { report } of documents) {
    for (const key in report) {
      if (report[key] === null || layout.find(key) || fields.has(key) || !SubjectLayout.hasFieldColumn(key)) continue;
      const type = typeOf(subjectType, key);
      if (type !== undefined) fields.set(key, type);
    }
  }
  return fields;
}

/** The column values of documents. A field without a column is part of the report but cannot be queried. */
export function documentColumns(
  subjectType: SubjectType,
  documents: readonly SubjectDocument[],
  layout: SubjectLayout,
): ColumnValues[] {
  const ids = documents.map(({ report }) => String(report.id));
  const columns: ColumnValues[] = [
    ids.map(keyOf),
    ids,
    documents.map(({ report }) => BigInt(storedTime(report.created_at) ?? 0)),
    documents.map(({ report }) => JSON.stringify(report)),
  ];
  if (subjectType === "user") {
    columns.push(
      documents.map(({ accountId }) => (accountId === undefined ? null : keyOf(accountId))),
      documents.map(({ accountId }) => accountId ?? null),
    );
  }
  for (const { key, field } of layout.fields) {
    // Every object inherits keys such as `constructor`.
    const read = key in Object.prototype ? ownValue : (report: Report, name: string) => report[name];
    columns.push(documents.map(({ report }) => storedValue(read(report, key), field)));
  }
  return columns;
}

function ownValue(report: Report, key: string): unknown {
  return Object.hasOwn(report, key) ? report[key] : null;
}

function storedValue(value: unknown, field: FieldType): DuckDBValue {
  if (value === null || value === undefined) return null;
  switch (field) {
    case "string":
      return storedText(value);
    case "json":
      return storedText(JSON.stringify(value));
    case "numeric":
      return storedNumber(value) ?? null;
    case "date":
      return storedTime(value) ?? null;
    case "boolean":
      return storedBoolean(value);
    case "array": {
      const elements = storedElements(value);
      return elements.length === 0 ? null : listValue(elements);
    }
  }
}
