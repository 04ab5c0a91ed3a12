import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { subjectName } from "../../api/audience/subject-name.js";
import type { ReportField } from "../../api/audience/use-report-fields.js";
import type { DataColumn } from "../../ui/table/data-table.js";
import { attributeName, labelOf } from "../../ui/text/words.js";
import { accountOf, CellValue, fieldOf, LeadingCell, textOf } from "./cell-value.js";
import type { ListColumn } from "./usual-list.js";

interface TableColumnsOptions {
  columns: readonly ListColumn[];
  fields: readonly ReportField[];
  target: SubjectType;
  org: string;
  segments: readonly { id: string; name: string }[];
}

/** Fields that cannot be sorted by: lists, objects, and the account as a whole. */
const UNSORTED = new Set(["array", "json"]);

/** The columns of the table for the chosen fields. */
export function tableColumns(options: TableColumnsOptions): DataColumn<Report>[] {
  const { columns, fields, target, org, segments } = options;
  const types = new Map(fields.map(({ key, type }) => [key, type]));
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  return columns.map(({ key, width }, index) => {
    const type = types.get(key) ?? (key === "account" ? "json" : "string");
    const parts = { field: key, type, org, segmentName: (id: string) => names.get(id) };
    return {
      id: key,
      header: labelOf(key, fields),
      hint: attributeName(key),
      width: width ?? (type === "number" || type === "boolean" ? 110 : 160),
      align: type === "number" ? "right" : "left",
      isSortable: !UNSORTED.has(type),
      cell: (report) =>
        index === 0 && key !== "account" ? (
          <LeadingCell report={report} target={target} {...parts} />
        ) : (
          <CellValue report={report} {...parts} />
        ),
      text: (report) => (key === "account" ? nameOfAccount(report) : textOf(fieldOf(report, key))),
    };
  });
}

function nameOfAccount(report: Report): string {
  const account = accountOf(report);
  return account ? subjectName(account) : "";
}
