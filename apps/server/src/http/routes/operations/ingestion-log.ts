import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { LogRelocations } from "../../../upkeep/log-relocations.js";
import type { App } from "../../app-type.js";

/** Where the ingestion log of an organization is, and moving it. */
export function ingestionLogRoutes(app: App, moves: LogRelocations): void {
  app.get(
    "/ingestion/log",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "Show where the ingestion log of an organization is",
        ...OPERATIONS_API["GET /api/v1/ingestion/log"],
      },
    },
    async ({ caller }) => moves.show(caller.organization),
  );

  app.post(
    "/ingestion/log/move",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "Move the ingestion log of an organization; ask again until `log` is what was asked for",
        ...OPERATIONS_API["POST /api/v1/ingestion/log/move"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(202);
      return moves.move(caller.organization, body.to, { abandon: body.abandon ?? false });
    },
  );

  app.post(
    "/ingestion/log/renew",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["operations"],
        summary: "Begin a new stream for the ingestion log of an organization, or of all whose stream has lost its end",
        ...OPERATIONS_API["POST /api/v1/ingestion/log/renew"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(202);
      return moves.renew(body.all ? "all" : caller.organization);
    },
  );
}
