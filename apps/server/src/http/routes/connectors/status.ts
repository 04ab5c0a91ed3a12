import { type Brand, isDefaultBrand, isObject } from "@muster/protocol";
import { STATUS_API } from "@muster/protocol/api/status";
import type { FastifyRequest } from "fastify";
import { statusRecord } from "../../../connectors/connector-record.js";
import type { ConnectorStatuses } from "../../../connectors/connector-statuses.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { Problems } from "../../../pipeline/problems.js";
import type { App } from "../../app-type.js";
import { ownConnectorId } from "../../auth/caller.js";
import { describePage, limitsOf } from "../pagination.js";
import { changeRefused, mayChange } from "./connector-record.js";
import { connectorNotFound, findConnector } from "./find-connector.js";

export interface StatusRoutesOptions {
  connectors: Connectors;
  statuses: ConnectorStatuses;
  jobs: Jobs;
  problems: Problems;
  brand: Brand;
}

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
        ...STATUS_API["GET /api/v1/status"],
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
        ...STATUS_API["GET /api/v1/{id}/status"],
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
        ...STATUS_API["PUT /api/v1/{id}/status"],
      },
      ...(isDefaultBrand(brand) ? {} : { preValidation: addMessages }),
    },
    async ({ caller, params, body }) => {
      const { id } = await findConnector(connectors, params.id, caller);
      if (!mayChange(caller, id)) throw changeRefused(caller);
      const { status, messages } = body;
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
        ...STATUS_API["GET /api/v1/{id}/status/history"],
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

/** Older importers, which use another brand, give no messages when they report that all is well. */
async function addMessages(request: FastifyRequest): Promise<void> {
  const body = request.body ?? {};
  if (isObject(body)) request.body = { messages: [], ...body };
}
