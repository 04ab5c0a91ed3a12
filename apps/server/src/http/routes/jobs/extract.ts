import { checkQuery, parse, type Target } from "@muster/query";
import { Type } from "typebox";
import { loadAttributeTypes } from "../../../audience/attribute-definitions.js";
import type { JobObject } from "../../../domain/jobs/job.js";
import type { ExtractParameters } from "../../../jobs/extract/extract-parameters.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { requireHttpAddress } from "../require-http-address.js";
import { JobRecord, jobRecord } from "./job-record.js";

export interface ExtractRoutesOptions {
  database: Database;
  jobs: Jobs;
}

const Body = Type.Object({
  url: Type.Union([Type.String({ minLength: 1, maxLength: 4_096 }), Type.Null()], {
    description: "Called with the location of the file when it is ready; null when nobody is to be called.",
  }),
  format: Type.Enum(["csv", "json"], { description: "`json` is one object a line." }),
  fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: 2_000,
      description: "Columns of a CSV file, in this order. Default: every field. JSON files hold everything.",
    }),
  ),
  query: Type.Object({}, { additionalProperties: true, description: "Whom to include, as in a search." }),
  name: Type.Optional(Type.String({ maxLength: 500 })),
  description: Type.String({ default: "", maxLength: 5_000 }),
});

const PATHS: Record<string, { object: JobObject; target: Target }> = {
  users: { object: "users", target: "user" },
  user_reports: { object: "users", target: "user" },
  accounts: { object: "accounts", target: "account" },
  account_reports: { object: "accounts", target: "account" },
  events: { object: "events", target: "event" },
};

/** Extracts to a file: each call schedules a job. */
export function extractRoutes(app: App, { database, jobs }: ExtractRoutesOptions): void {
  for (const [path, { object, target }] of Object.entries(PATHS)) {
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
        if (body.url !== null) requireHttpAddress(body.url, "body.url");
        const org = caller.organization.id;
        // Refused at once when it could never be answered.
        const attributeTypes = await loadAttributeTypes(database, org);
        checkQuery(parse(body.query, { target }), { target, attributeTypes, now: new Date() });
        const parameters: ExtractParameters = {
          url: body.url,
          format: body.format,
          fields: body.fields ?? null,
          query: body.query,
        };
        const job = await jobs.schedule(org, {
          type: "extract",
          object,
          name: body.name || `${object}.${body.format}`,
          description: body.description,
          connectorId: connectorIdOf(caller),
          parameters,
        });
        reply.status(201);
        return jobRecord(job, jobs.links, Date.now());
      },
    );
  }
}
