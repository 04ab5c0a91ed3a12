import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { SubjectType } from "@muster/protocol";
import { type FieldType, storedBoolean, storedElements, storedNumber, storedText, storedTime } from "@muster/query";
import type { Report } from "../../../../domain/changes/report.js";
import type { SubjectDocument, TypeOf } from "../../projection.js";
import { keyOf } from "../layout/keys.js";
import { SubjectLayout } from "../layout/layout.js";
import type { ColumnValues } from "./fill-column.js";

/** The fields of reports that somebody has a value of and that have a type. */
export function fieldsOf(
  kind: SubjectType,
  documents: readonly SubjectDocument[],
  layout: SubjectLayout,
  typeOf: TypeOf,
): Map<string, FieldType> {
  const fields = new Map<string, FieldType>();
  for (const { report } of documents) {
    for (const key in report) {
      if (report[key] === null || layout.find(key) || fields.has(key) || !SubjectLayout.keeps(key)) continue;
      const type = typeOf(kind, key);
      if (type !== undefined) fields.set(key, type);
    }
  }
  return fields;
}

/** Documents as the columns of their table. A field that has no column is shown, but cannot be asked about. */
export function documentColumns(
  kind: SubjectType,
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
  if (kind === "user") {
    columns.push(
      documents.map(({ accountId }) => (accountId === undefined ? null : keyOf(accountId))),
      documents.map(({ accountId }) => accountId ?? null),
    );
  }
  for (const { key, field } of layout.fields) {
    // A key such as `constructor` is there in every object.
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
