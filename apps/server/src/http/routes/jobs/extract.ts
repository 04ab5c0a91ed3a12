import { Type } from "typebox";
import type { JobObject } from "../../../domain/jobs/job.js";
import type { Extracts } from "../../../jobs/extract/extracts.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { anyObjectAs } from "../../reference/named-schema.js";
import { requireHttpAddress } from "../require-http-address.js";
import { JobRecord } from "./job-record.js";

const Body = Type.Object({
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
  csv_formulas: Type.Boolean({
    default: false,
    description:
      "Spreadsheets run cells that begin with `=`, `+`, `-`, `@`, a tab or a line break as formulas, so such cells of a CSV file get a quote (`'`) in front; numbers do not. With `true` all cells stay as they are, for programs that read the file.",
  }),
  query: anyObjectAs("Query", { description: "Which objects to include, as in a search." }),
  name: Type.Optional(Type.String({ maxLength: 500, description: "What the job is called." })),
  description: Type.String({ default: "", maxLength: 5_000 }),
});

const OBJECTS: Record<string, JobObject> = {
  users: "users",
  user_reports: "users",
  accounts: "accounts",
  account_reports: "accounts",
  events: "events",
};

/** Extracts to a file: each call schedules a job. */
export function extractRoutes(app: App, extracts: Extracts): void {
  for (const [path, object] of Object.entries(OBJECTS)) {
    app.post(
      `/extract/${path}`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["jobs"],
          summary: `Extract ${object} to a file`,
          body: Body,
          response: { 201: JobRecord },
        },
      },
      async ({ caller, body }, reply) => {
        const { url, format, fields = null, query, name, description, csv_formulas: csvFormulas } = body;
        if (url !== null) requireHttpAddress(url, "body.url");
        const request = { object, url, format, fields, query, csvFormulas, name, description };
        const job = await extracts.schedule(caller.organization.id, connectorIdOf(caller), request);
        reply.status(201);
        return job;
      },
    );
  }
}
