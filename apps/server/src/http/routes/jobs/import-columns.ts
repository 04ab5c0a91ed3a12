import { Refusal } from "@muster/protocol";
import type { ImportColumn } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";
import { type ColumnMapping, mappingProblem } from "../../../domain/jobs/column-mapping.js";

/** Checks a mapping of columns, and fills in what was left out. */
export function readColumns(object: JobObject, given: ImportColumn[] | undefined): ColumnMapping[] | undefined {
  if (!given) return undefined;
  const columns = given.map(({ column, value, to, name, type }) => ({
    column,
    value,
    to,
    name: name ?? column ?? "",
    type: type ?? ("string" as const),
  }));
  const problem = mappingProblem(object, columns);
  if (problem === undefined) return columns;
  throw new Refusal("invalid_parameter", problem, { details: [{ path: "body.columns", message: problem }] });
}
