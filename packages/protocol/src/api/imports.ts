import { type Static, Type } from "typebox";
import { ATTRIBUTE_TYPES } from "./choices.js";
import { COLUMN_ROLES } from "./file-fields.js";
import { Job, JobObject } from "./jobs.js";
import { anyValueAs, withDefault } from "./schema.js";
import { AttributeValue } from "./values.js";

const FileAddress = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: "Where the file is, or the address of an upload.",
});

export const Delimiter = Type.Enum([",", ";", "\t", "|"], {
  description: "What is between the cells of a CSV file.",
});
export type Delimiter = Static<typeof Delimiter>;

export const ImportColumn = Type.Object({
  column: Type.Optional(
    Type.String({ maxLength: 1_000, description: "The name of the column, or `Column 1` without a header." }),
  ),
  value: Type.Optional(
    anyValueAs(AttributeValue, { description: "The same value for all records, instead of a column." }),
  ),
  to: Type.Enum([...COLUMN_ROLES], {
    description: "`property` and `field` are for events: a property, or a field such as the name of the event.",
  }),
  name: Type.Optional(Type.String({ maxLength: 1_000, description: "Default: the name of the column." })),
  type: Type.Optional(Type.Enum([...ATTRIBUTE_TYPES])),
});
export type ImportColumn = Static<typeof ImportColumn>;

export const NewImport = Type.Object({
  url: FileAddress,
  format: Type.Enum(["json", "csv"], {
    description: "JSON is a record a line, or an array of records. Gzip is recognized by its content.",
  }),
  delimiter: Type.Optional(Delimiter),
  header: withDefault(
    true,
    Type.Boolean({ description: "Whether the first row of a CSV file has the names of the columns." }),
  ),
  columns: Type.Optional(
    Type.Array(ImportColumn, {
      maxItems: 2_000,
      description:
        "What becomes of each column; those that are not named are ignored. Default: every column keeps its name, as in a JSON record.",
    }),
  ),
  csv_formulas: withDefault(
    false,
    Type.Boolean({
      description:
        "Keep the quote in front of CSV cells like `'=1+1`. It is taken away otherwise, because an extract puts it there.",
    }),
  ),
  overwrite: withDefault(false, Type.Boolean({ description: "Whether values of the file replace existing ones." })),
  notify: withDefault(false, Type.Boolean({ description: "Notify connectors of each imported record." })),
  emit_event: withDefault(false, Type.Boolean({ description: "Emit an `Imported User` event per user." })),
  name: Type.Optional(Type.String({ maxLength: 500, description: "Default: the name of the file." })),
  description: withDefault("", Type.String({ maxLength: 5_000 })),
  traits: withDefault(
    {},
    Type.Record(Type.String(), Type.Unknown(), { description: "Attributes of every record; those of the file win." }),
  ),
  schedule_at: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: "When to run; default: now." })),
  dry_run: withDefault(
    false,
    Type.Boolean({ description: "Change nothing; only count what would be new, updated and refused." }),
  ),
});
export type NewImport = Static<typeof NewImport>;

export const InspectedColumn = Type.Object({
  column: Type.String(),
  type: Type.Enum([...ATTRIBUTE_TYPES], { description: "The type that all values of the sample have." }),
  samples: Type.Array(Type.String()),
  filled: Type.Integer({ description: "How many rows of the sample have a value." }),
  suggestion: Type.Object({
    to: Type.Enum([...COLUMN_ROLES]),
    name: Type.String(),
    type: Type.Enum([...ATTRIBUTE_TYPES]),
  }),
  known_type: Type.Optional(
    Type.Enum([...ATTRIBUTE_TYPES], { description: "The type that the attribute has already." }),
  ),
  conflict: Type.Optional(Type.String({ description: "Why rows would be refused." })),
});
export type InspectedColumn = Static<typeof InspectedColumn>;

export const InspectedFile = Type.Object(
  {
    format: Type.Enum(["csv", "json"]),
    delimiter: Type.Optional(Type.String()),
    header: Type.Optional(Type.Boolean({ description: "Whether the first row has the names of the columns." })),
    columns: Type.Array(InspectedColumn),
    rows: Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()])), { description: "The first rows." }),
    sampled_rows: Type.Integer(),
    is_whole: Type.Boolean({ description: "Whether the sample is the whole file." }),
  },
  { component: "InspectedFile", description: "What the beginning of a file shows." },
);
export type InspectedFile = Static<typeof InspectedFile>;

export const RefusalReason = Type.Object({
  code: Type.String(),
  message: Type.String(),
  rows: Type.Integer({ description: "How many rows were refused for it." }),
  first_line: Type.Integer(),
});
export type RefusalReason = Static<typeof RefusalReason>;

export const Upload = Type.Object({
  id: Type.String(),
  url: Type.String({ description: "The `url` of an import of this file." }),
  received: Type.Integer({ description: "Bytes so far: where the next part begins." }),
});
export type Upload = Static<typeof Upload>;

const Bytes = Type.Unsafe<Uint8Array>({
  type: "string",
  contentMediaType: "application/octet-stream",
  description: "Bytes as they are.",
  component: "Bytes",
});

const importFile = { body: NewImport, response: { 201: Job } };

export const IMPORTS_API = {
  "POST /api/v1/import/users": importFile,
  "POST /api/v1/import/accounts": importFile,
  "POST /api/v1/import/events": importFile,
  "POST /api/v1/imports/inspect": {
    body: Type.Object({
      url: FileAddress,
      object: withDefault("users", JobObject),
      format: Type.Optional(Type.Enum(["csv", "json"], { description: "Default: it is guessed." })),
      delimiter: Type.Optional(Delimiter),
      header: Type.Optional(Type.Boolean({ description: "Default: it is guessed." })),
    }),
    response: { 200: InspectedFile },
  },
  "GET /api/v1/imports/{id}/reasons": {
    params: Type.Object({ id: Type.String({ description: "The id of the job." }) }),
    response: {
      200: Type.Object({
        reasons: Type.Array(RefusalReason, { description: "The most frequent first, 20 at most." }),
      }),
    },
  },
  "POST /api/v1/uploads": { response: { 201: Upload } },
  "PUT /api/v1/uploads/{id}": {
    params: Type.Object({ id: Type.String({ description: "The id of the upload." }) }),
    querystring: Type.Object({ offset: Type.Integer({ minimum: 0, description: "Where the part begins." }) }),
    body: { content: { "application/octet-stream": { schema: anyValueAs(Bytes, { description: "16 MB at most." }) } } },
    response: { 200: Upload },
  },
};
