import { Refusal } from "@muster/protocol";
import { type Static, Type } from "typebox";
import { COLUMN_ROLES, type ColumnMapping, mappingProblem } from "../../../domain/jobs/column-mapping.js";
import type { JobObject } from "../../../domain/jobs/job.js";
import { anyValueAs } from "../../reference/named-schema.js";

const Types = Type.Enum(["string", "numeric", "date", "boolean", "array", "json"]);

export const DelimiterOfCsv = Type.Enum([",", ";", "\t", "|"], {
  description: "What is between the cells of a CSV file.",
});

export const ColumnsOfImport = Type.Array(
  Type.Object({
    column: Type.Optional(
      Type.String({ maxLength: 1_000, description: "The name of the column, or `Column 1` without a header." }),
    ),
    value: Type.Optional(
      anyValueAs("AttributeValue", { description: "The same value for all records, instead of a column." }),
    ),
    to: Type.Enum([...COLUMN_ROLES], {
      description: "`property` and `field` are for events: a property, or a field such as the name of the event.",
    }),
    name: Type.Optional(Type.String({ maxLength: 1_000, description: "Default: the name of the column." })),
    type: Type.Optional(Types),
  }),
  {
    maxItems: 2_000,
    description:
      "What becomes of each column; those that are not named are ignored. Default: every column keeps its name, as in a JSON record.",
  },
);

/** Checks a mapping of columns, and fills in what was left out. */
export function readColumns(
  object: JobObject,
  given: Static<typeof ColumnsOfImport> | undefined,
): ColumnMapping[] | undefined {
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
