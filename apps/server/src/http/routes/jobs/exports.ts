import { Type } from "typebox";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Exports } from "../../../jobs/export/exports.js";
import type { App } from "../../app-type.js";
import { findOwnConnector } from "../connectors/find-connector.js";
import { JobRecord } from "./job-record.js";

export interface ExportRoutesOptions {
  connectors: Connectors;
  exports: Exports;
}

/** Exports of the members of a segment, or of everybody, to a connector. */
export function exportRoutes(app: App, { connectors, exports }: ExportRoutesOptions): void {
  app.post(
    "/:id/export",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Send a connector the members of a segment, or all users or accounts",
        description:
          "A connector with the tag `kraken-exports` gets notifications with `is_export`; one with the tag `batch` or `batch-accounts` gets the address of a file.",
        params: Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) }),
        body: Type.Object({
          object: Type.Enum(["users", "accounts"], { default: "users" }),
          segment_id: Type.Optional(Type.String({ description: "Default: everybody." })),
        }),
        response: { 201: JobRecord },
      },
    },
    async ({ caller, params, body }, reply) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      reply.status(201);
      return exports.schedule(connector, body.object === "accounts" ? "accounts" : "users", body.segment_id);
    },
  );
}
