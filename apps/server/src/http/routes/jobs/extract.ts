import { JOBS_API, type JobObject } from "@muster/protocol/api/jobs";
import type { Extracts } from "../../../jobs/extract/extracts.js";
import type { App } from "../../app-type.js";
import { connectorIdOf } from "../../auth/caller.js";
import { requireHttpAddress } from "../require-http-address.js";

const PATHS = ["users", "user_reports", "accounts", "account_reports", "events"] as const;
const OBJECTS: Record<(typeof PATHS)[number], JobObject> = {
  users: "users",
  user_reports: "users",
  accounts: "accounts",
  account_reports: "accounts",
  events: "events",
};

/** Extracts to a file: each call schedules a job. */
export function extractRoutes(app: App, extracts: Extracts): void {
  for (const path of PATHS) {
    const object = OBJECTS[path];
    app.post(
      `/extract/${path}`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["jobs"],
          summary: `Extract ${object} to a file`,
          ...JOBS_API[`POST /api/v1/extract/${path}`],
        },
      },
      async ({ caller, body }, reply) => {
        const { url, format, fields = null, query, name, description, csv_formulas: csvFormulas, purposes } = body;
        if (url !== null) requireHttpAddress(url, "body.url");
        const request = { object, url, format, fields, query, csvFormulas, name, description, purposes };
        const job = await extracts.schedule(caller.organization.id, connectorIdOf(caller), request);
        reply.status(201);
        return job;
      },
    );
  }
}
