import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { HealthChecks } from "../../../upkeep/health-checks.js";
import type { App } from "../../app-type.js";
import { isOperator } from "../../auth/caller.js";
import { pageOfAll } from "../pagination.js";

const HealthCheckRecord = Type.Object(
  {
    name: Type.String(),
    status: Type.Enum(["good", "late", "bad"]),
    message: Type.String({ description: "What was found." }),
    advice: Type.String({ description: "What to do about it. Empty when nothing is to be done." }),
  },
  { component: "HealthCheck", description: "One thing that the server needs, and how it is." },
);

const RetentionRecord = Type.Object(
  {
    what: Type.String(),
    days: Type.Union([Type.Integer(), Type.Null()], { description: "Null: until somebody deletes it." }),
    setting: Type.Union([Type.String(), Type.Null()], { description: "The setting that changes it, if there is one." }),
  },
  { component: "Retention", description: "Something that is stored, and for how long." },
);

export interface RetentionDays {
  logRetentionDays: number;
  traceRetentionDays: number;
  historyRetentionDays: number;
  extractRetentionDays: number;
}

/** What people look at when they want to know how the server is, and what it keeps. */
export function healthCheckRoutes(
  app: App,
  { checks, retention, brand }: { checks: HealthChecks; retention: RetentionDays; brand: Brand },
): void {
  app.get(
    "/health_checks",
    {
      config: { access: "connector" },
      schema: {
        tags: ["operations"],
        summary: "How the server is, with advice where something is wrong",
        description:
          "People who run the server also get what concerns all organizations: versions, sizes, certificates.",
        querystring: PageQuery,
        response: { 200: Type.Array(HealthCheckRecord) },
      },
    },
    async (request, reply) =>
      pageOfAll(
        request,
        reply,
        brand,
        request.query,
        await checks.run(request.caller.organization.id, { isOperator: isOperator(request.caller) }),
      ),
  );

  app.get(
    "/retention",
    {
      config: { access: "connector" },
      schema: {
        tags: ["operations"],
        summary: "What is stored, and for how long",
        querystring: PageQuery,
        response: { 200: Type.Array(RetentionRecord) },
      },
    },
    async (request, reply) => pageOfAll(request, reply, brand, request.query, retentionTable(retention)),
  );
}

function retentionTable(days: RetentionDays) {
  return [
    { what: "Users, accounts, events, segments, comments", days: null, setting: null },
    {
      what: "The ingestion log, from which records can be read again",
      days: days.logRetentionDays,
      setting: "LOG_RETENTION_DAYS",
    },
    { what: "Connector logs and delivery traces", days: days.traceRetentionDays, setting: "TRACE_RETENTION_DAYS" },
    {
      what: "Finished jobs, rejected records, dead letters, former statuses of connectors",
      days: days.historyRetentionDays,
      setting: "HISTORY_RETENTION_DAYS",
    },
    { what: "Files of extracts", days: days.extractRetentionDays, setting: "EXTRACT_RETENTION_DAYS" },
    { what: "Uploaded files that no import uses", days: 1, setting: null },
    { what: "Messages for a connector that is disabled and holds them", days: 14, setting: null },
    { what: "Receipts of erasures", days: null, setting: null },
  ];
}
