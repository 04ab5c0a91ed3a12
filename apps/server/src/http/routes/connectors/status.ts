import { type Brand, isDefaultBrand } from "@muster/protocol";
import { Job } from "@muster/protocol/api/jobs";
import { PageQuery } from "@muster/protocol/api/paging";
import { CONNECTOR_STATUSES } from "@muster/protocol/manifest";
import { Type } from "typebox";
import { statusRecord } from "../../../connectors/connector-record.js";
import type { ConnectorStatuses } from "../../../connectors/connector-statuses.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Problems } from "../../../pipeline/problems.js";
import type { App } from "../../app-type.js";
import { ownConnectorId } from "../../auth/caller.js";
import { describePage, limitsOf } from "../pagination.js";
import { changeRefused, mayChange, StatusRecord } from "./connector-record.js";
import { connectorNotFound, findConnector } from "./find-connector.js";

export interface StatusRoutesOptions {
  connectors: Connectors;
  statuses: ConnectorStatuses;
  jobs: Jobs;
  problems: Problems;
  brand: Brand;
}

const Params = Type.Object({
  id: Type.String({ description: "Connector id, or `app` for the calling one." }),
});

const StatusEntry = Type.Object({
  status: Type.String(),
  messages: Type.Array(Type.String()),
  source: Type.String({ description: "Who set it: `install`, `connector`, `poll` or `operator`." }),
  created_at: Type.String({ format: "date-time" }),
});

const ProblemRecord = Type.Object({
  kind: Type.Enum(["stage", "segment"]),
  id: Type.String({ description: "The name of the stage, or the id of the segment." }),
  name: Type.String(),
  message: Type.String({ description: "Why it does not work." }),
  since: Type.String({ format: "date-time" }),
});

const Messages = Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 });

/** The jobs that run or wait, and the statuses that connectors report. */
export function statusRoutes(app: App, { connectors, statuses, jobs, problems, brand }: StatusRoutesOptions): void {
  app.get(
    "/status",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "The active jobs, the status of every connector, and the problems of the organization",
        description: "Problems are stages of the pipeline that fail, and segments whose query cannot be evaluated.",
        response: {
          200: Type.Object({
            jobs: Type.Array(Job),
            connectors: Type.Array(StatusRecord),
            problems: Type.Array(ProblemRecord),
          }),
        },
      },
    },
    async ({ caller }) => {
      const { id } = caller.organization;
      const all = await connectors.list(id);
      return {
        jobs: await jobs.active(id, ownConnectorId(caller)),
        connectors: all.map(statusRecord),
        problems: await problems.list(id),
      };
    },
  );

  app.get(
    "/:id/status",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "The status of one connector",
        params: Params,
        response: { 200: StatusRecord },
      },
    },
    async ({ caller, params }) => statusRecord(await findConnector(connectors, params.id, caller)),
  );

  app.put(
    "/:id/status",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "Set a connector's status",
        params: Params,
        body: Type.Object({
          status: Type.Enum([...CONNECTOR_STATUSES]),
          // Older importers give no messages when they report that all is well.
          messages: isDefaultBrand(brand) ? Messages : Type.Optional(Messages),
        }),
        response: { 200: StatusRecord },
      },
    },
    async ({ caller, params, body }) => {
      const { id } = await findConnector(connectors, params.id, caller);
      if (!mayChange(caller, id)) throw changeRefused(caller);
      const { status, messages = [] } = body;
      const source = caller.kind === "connector" ? "connector" : "operator";
      const updated = await statuses.set(caller.organization.id, id, { status, messages, source });
      if (!updated) throw connectorNotFound(params.id);
      return statusRecord(updated);
    },
  );

  app.get(
    "/:id/status/history",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "The statuses a connector had, the latest first",
        params: Params,
        querystring: PageQuery,
        response: { 200: Type.Array(StatusEntry) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findConnector(connectors, params.id, caller);
      const { total, entries } = await statuses.history(connector, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return entries;
    },
  );
}
