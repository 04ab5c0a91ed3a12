import { Type } from "typebox";
import type { LogRelocations } from "../../../upkeep/log-relocations.js";
import type { App } from "../../app-type.js";

const Kind = Type.Union([Type.Literal("postgres"), Type.Literal("nats")]);

const LogRecord = Type.Object({
  organization: Type.String({ description: "The organization's namespace." }),
  log: Kind,
  stream: Type.Union([Type.String(), Type.Null()], { description: "The stream of NATS; null in PostgreSQL." }),
  state: Type.Union([Type.Literal("present"), Type.Literal("closing"), Type.Literal("draining")], {
    description:
      "`closing`: records are refused with 503 for some seconds, until nothing can be written to the former log any more. `draining`: records are accepted, and those of the former log are applied first.",
  }),
  waiting_entries: Type.Integer({ description: "Records that are not applied yet, about." }),
});

/** Where the ingestion log of an organization is, and moving it. */
export function ingestionLogRoutes(app: App, moves: LogRelocations): void {
  app.get(
    "/ingestion/log",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "Show where the ingestion log of an organization is",
        response: { 200: LogRecord },
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
        body: Type.Object({
          to: Kind,
          abandon: Type.Optional(
            Type.Boolean({ description: "The stream is lost: give up the records in it that are not applied." }),
          ),
        }),
        response: { 202: LogRecord },
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(202);
      return moves.move(caller.organization, body.to, { abandon: body.abandon ?? false });
    },
  );
}
