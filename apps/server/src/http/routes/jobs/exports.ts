import { Refusal } from "@muster/protocol";
import { JOBS_API } from "@muster/protocol/api/jobs";
import type { Connectors } from "../../../connectors/connectors.js";
import type { Exports } from "../../../jobs/export/exports.js";
import type { App } from "../../app-type.js";
import { findUsableConnector } from "../connectors/find-connector.js";

export interface ExportRoutesOptions {
  connectors: Connectors;
  exports: Exports;
}

/** Exports of the members of a segment, of what a query selects, or of everybody, to a connector. */
export function exportRoutes(app: App, { connectors, exports }: ExportRoutesOptions): void {
  app.post(
    "/:id/export",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Send a connector the members of a segment, what a query selects, or all users or accounts",
        description:
          "A connector with the tag `kraken-exports` gets notifications with `is_export`; one with the tag `batch` or `batch-accounts` gets the address of a file.",
        ...JOBS_API["POST /api/v1/{id}/export"],
      },
    },
    async ({ caller, params, body }, reply) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      const { object, segment_id: segmentId, query } = body;
      if (segmentId !== undefined && query !== undefined) {
        throw new Refusal("invalid_parameter", "Send a segment_id or a query, not both.");
      }
      reply.status(201);
      return exports.schedule(connector, object === "accounts" ? "accounts" : "users", { segmentId, query });
    },
  );
}
