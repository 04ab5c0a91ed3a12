import { Type } from "typebox";
import { JOB_STATUSES, JOB_TYPES } from "../../../domain/jobs/job.js";
import { freeObject } from "../../reference/named-schema.js";

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const OptionalInteger = Type.Union([Type.Integer(), Type.Null()]);

/** The schema of a job as the API shows it. */
export const JobRecord = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum([...JOB_TYPES], { description: "What the job does." }),
    object: Type.Enum(["users", "accounts", "events"]),
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
    result: Type.Union([freeObject("What the job did: numbers by kind."), Type.Null()]),
    error: OptionalText,
    download_url: Type.Optional(Type.String({ description: "The file of an extract; answers GET and POST." })),
    expires_at: Type.Optional(Type.String({ description: "When that file is removed." })),
    rejected_url: Type.Optional(Type.String({ description: "The refused lines of an import, with their reasons." })),
    refused_rows_url: Type.Optional(
      Type.String({ description: "The refused rows of an import as they are in its file, each with the reason." }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "The import only counts, and changes nothing." })),
    callback: Type.Optional(
      Type.Object({ attempts: Type.Integer(), error: OptionalText, next_at: OptionalText, called_at: OptionalText }),
    ),
    scheduled_at: Type.String(),
    created_at: Type.String(),
    started_at: OptionalText,
    finished_at: OptionalText,
  },
  { component: "Job", description: "An import, an extract or an export." },
);
