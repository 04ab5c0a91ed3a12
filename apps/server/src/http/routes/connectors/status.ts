import { Refusal } from "@muster/protocol";
import { CONNECTOR_STATUSES } from "@muster/protocol/manifest";
import { Type } from "typebox";
import type { Jobs } from "../../../jobs/jobs.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorOf } from "../../auth/caller.js";
import { JobRecord } from "../jobs/job-record.js";
import { mayChange, StatusRow, statusRow } from "./connector-record.js";

export interface StatusRoutesOptions {
  connectors: ConnectorStore;
  jobs: Jobs;
}

const Params = Type.Object({
  id: Type.String({ description: "Connector id, or `app` for the calling one." }),
});

/** What is going on, and how the connectors say they are. */
export function statusRoutes(app: App, { connectors, jobs }: StatusRoutesOptions): void {
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
      return { jobs: await jobs.active(caller.organization.id), connectors: all.map(statusRow) };
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
    async ({ caller, params }) => {
      const found = await connectors.find(caller.organization.id, resolveId(params.id, caller));
      return statusRow(found ?? notFound(params.id));
    },
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
      const id = resolveId(params.id, caller);
      if (!(await connectors.find(caller.organization.id, id))) return notFound(params.id);
      if (!mayChange(caller, id)) throw new Refusal("forbidden", "A connector may change only itself.");
      const source = caller.kind === "operator" ? "operator" : "connector";
      const updated = await connectors.setStatus(caller.organization.id, id, { ...body, source });
      return statusRow(updated ?? notFound(params.id));
    },
  );
}

function resolveId(given: string, caller: Caller): string {
  return given === "app" ? connectorOf(caller).id : given;
}

function notFound(id: string): never {
  throw new Refusal("not_found", `There is no connector "${id.slice(0, 100)}".`);
}
