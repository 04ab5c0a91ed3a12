import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { MAX_PURPOSES, PurposeName } from "./purposes.js";
import { Query } from "./queries.js";
import { anyObjectAs, freeObject, nullable, withDefault } from "./schema.js";

export const JOB_TYPES = ["import", "extract", "export", "rewrite", "revert"] as const;
export const JOB_STATUSES = ["scheduled", "running", "completed", "failed", "canceled"] as const;

const OptionalText = nullable(Type.String());
const OptionalInteger = nullable(Type.Integer());

export const JobObject = Type.Enum(["users", "accounts", "events"]);
export type JobObject = Static<typeof JobObject>;

export const Job = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum([...JOB_TYPES], { description: "What the job does." }),
    object: JobObject,
    status: Type.Enum([...JOB_STATUSES]),
    name: Type.String(),
    description: Type.String(),
    progress: Type.Object({
      processed: Type.Integer({ description: "Records so far." }),
      total: OptionalInteger,
      rejected: Type.Integer({ description: "Lines of an import that were refused, as a whole or in part." }),
      processed_bytes: Type.Integer(),
      total_bytes: OptionalInteger,
    }),
    result: nullable(freeObject("What the job did: numbers by kind.")),
    error: OptionalText,
    download_url: Type.Optional(Type.String({ description: "The file of an extract; answers GET and POST." })),
    expires_at: Type.Optional(Type.String({ description: "When that file is removed." })),
    rejected_url: Type.Optional(Type.String({ description: "The refused lines of an import, with their reasons." })),
    refused_rows_url: Type.Optional(
      Type.String({ description: "The refused rows of an import as they are in its file, each with the reason." }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "The import or undo only counts, and changes nothing." })),
    callback: Type.Optional(
      Type.Object({ attempts: Type.Integer(), error: OptionalText, next_at: OptionalText, called_at: OptionalText }),
    ),
    scheduled_at: Type.String(),
    created_at: Type.String(),
    started_at: OptionalText,
    finished_at: OptionalText,
  },
  {
    component: "Job",
    description: "An import, an extract, an export, a rewrite of stored values, or an undo of what was written.",
  },
);
export type Job = Static<typeof Job>;

export const NewExtract = Type.Object({
  url: Type.Union([Type.String({ minLength: 1, maxLength: 4_096 }), Type.Null()], {
    description:
      "Called with the location of the file when it is ready; null when no call is wanted. An address at the host of the connector that asks is called at the port that the connector was installed from.",
  }),
  format: Type.Enum(["csv", "json", "parquet"], {
    description: "`json` is one object a line. `parquet` has the columns of `csv`, with types.",
  }),
  fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: 2_000,
      description: "Columns of a CSV or Parquet file, in this order. Default: every field. JSON files hold everything.",
    }),
  ),
  csv_formulas: withDefault(
    false,
    Type.Boolean({
      description:
        "Spreadsheets run cells that begin with `=`, `+`, `-`, `@`, a tab or a line break as formulas, so such cells of a CSV file get a quote (`'`) in front; numbers do not. With `true` all cells stay as they are, for programs that read the file.",
    }),
  ),
  query: anyObjectAs(Query, { description: "Which objects to include, as in a search." }),
  purposes: withDefault(
    [],
    Type.Array(PurposeName, {
      maxItems: MAX_PURPOSES,
      description:
        "Users who have not agreed to all of these purposes are left out; `result.withheld` says how many. A connector's extract is for the purposes that it serves, too. Events cannot be extracted for a purpose.",
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 500, description: "What the job is called." })),
  description: withDefault("", Type.String({ maxLength: 5_000 })),
});
export type NewExtract = Static<typeof NewExtract>;

export const NewExport = Type.Object({
  object: withDefault("users", Type.Enum(["users", "accounts"])),
  segment_id: Type.Optional(Type.String({ description: "Default: everybody." })),
  query: Type.Optional(anyObjectAs(Query, { description: "Whom to send, instead of a segment." })),
});
export type NewExport = Static<typeof NewExport>;

const extract = { body: NewExtract, response: { 201: Job } };

/** A file is sent as it is; this describes its types. */
function file(description: string) {
  return {
    description,
    content: {
      "application/x-ndjson": { schema: Type.String({ description: "One JSON object a line." }) },
      "text/csv": { schema: Type.String({ description: "Comma-separated values, with the names in the first line." }) },
      "application/vnd.apache.parquet": { schema: Type.String({ format: "binary", description: "A Parquet file." }) },
    },
  };
}

const download = {
  params: Type.Object({
    organization: Type.String({ description: "The id of the organization." }),
    job: Type.String({ description: "The id of the job." }),
    file: Type.String({ description: "The name of the file." }),
  }),
  querystring: Type.Object({
    expires: Type.Integer({ description: "Unix seconds." }),
    signature: Type.String({ description: "Made by the server for this file and this time." }),
    gzip: withDefault(false, Type.Boolean({ description: "Compress the file, whatever Accept-Encoding says." })),
  }),
  response: { 200: file("The file."), 206: file("The bytes of a `Range` header.") },
};

/** Jobs, extracts and exports. Imports have a file of their own. */
export const JOBS_API = {
  "GET /api/v1/jobs": {
    querystring: Type.Object({
      ...PageQuery.properties,
      type: Type.Optional(Type.Enum([...JOB_TYPES], { description: "Only jobs of this type." })),
      status: Type.Optional(Type.Enum([...JOB_STATUSES], { description: "Only jobs with this status." })),
      connector_id: Type.Optional(
        Type.String({ description: "Only jobs that this connector started, and exports to it." }),
      ),
    }),
    response: { 200: Type.Array(Job) },
  },
  "POST /api/v1/extract/users": extract,
  "POST /api/v1/extract/user_reports": extract,
  "POST /api/v1/extract/accounts": extract,
  "POST /api/v1/extract/account_reports": extract,
  "POST /api/v1/extract/events": extract,
  "POST /api/v1/{id}/export": {
    params: Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) }),
    body: NewExport,
    response: { 201: Job },
  },
  "POST /api/v1/{id}/send": {
    params: Type.Object({ id: Type.String({ description: "The id of a user or account." }) }),
    body: Type.Object({ connector_id: Type.String({ description: "Connector id, or `app`." }) }),
    response: { 202: Type.Object({ queued: Type.Boolean() }) },
  },
  "GET /api/v1/downloads/{organization}/{job}/{file}": download,
  "POST /api/v1/downloads/{organization}/{job}/{file}": download,
};
