import { Refusal } from "@muster/protocol";
import { CONNECTOR_STATUSES } from "@muster/protocol/manifest";
import { Type } from "typebox";
import { statusRecord } from "../../../connectors/connector-record.js";
import type { ConnectorStatuses } from "../../../connectors/connector-statuses.js";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Jobs } from "../../../jobs/jobs.js";
import type { App } from "../../app-type.js";
import { JobRecord, jobRecord } from "../jobs/job-record.js";
import { mayChange, StatusRow } from "./connector-record.js";
import { connectorNotFound, findConnector } from "./find-connector.js";

export interface StatusRoutesOptions {
  connectors: Connectors;
  statuses: ConnectorStatuses;
  jobs: Jobs;
}

const Params = Type.Object({
  id: Type.String({ description: "Connector id, or `app` for the calling one." }),
});

/** The jobs that run or wait, and the status that each connector reports. */
export function statusRoutes(app: App, { connectors, statuses, jobs }: StatusRoutesOptions): void {
  app.get(
    "/status",
    {
      config: { access: "connector" },
      schema: {
        tags: ["status"],
        summary: "The active jobs, and the status of every connector",
        response: {
          200: Type.Object({ jobs: Type.Array(JobRecord), connectors: Type.Array(StatusRow) }),
        },
      },
    },
    async ({ caller }) => {
      const all = await connectors.list(caller.organization.id);
      const active = await jobs.listActive(caller.organization.id);
      return { jobs: active.map((job) => jobRecord(job, jobs.links, Date.now())), connectors: all.map(statusRecord) };
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
        response: { 200: StatusRow },
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
          messages: Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 }),
        }),
        response: { 200: StatusRow },
      },
    },
    async ({ caller, params, body }) => {
      const { id } = await findConnector(connectors, params.id, caller);
      if (!mayChange(caller, id)) throw new Refusal("forbidden", "A connector may change only itself.");
      const source = caller.kind === "operator" ? "operator" : "connector";
      const updated = await statuses.set(caller.organization.id, id, { ...body, source });
      if (!updated) throw connectorNotFound(params.id);
      return statusRecord(updated);
    },
  );
}
