import type { Brand } from "@muster/protocol";
import { OPERATIONS_API, type Retention } from "@muster/protocol/api/operations";
import type { HealthChecks } from "../../../upkeep/health-checks.js";
import type { App } from "../../app-type.js";
import { isOperator } from "../../auth/caller.js";
import { pageOfAll } from "../pagination.js";

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
        ...OPERATIONS_API["GET /api/v1/health_checks"],
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
        ...OPERATIONS_API["GET /api/v1/retention"],
      },
    },
    async (request, reply) => pageOfAll(request, reply, brand, request.query, retentionTable(retention)),
  );
}

function retentionTable(days: RetentionDays): Retention[] {
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
