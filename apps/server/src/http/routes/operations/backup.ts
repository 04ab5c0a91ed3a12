import type { Readable } from "node:stream";
import { OPERATIONS_API } from "@muster/protocol/api/operations";
import type { FastifyReply } from "fastify";
import type { Backups } from "../../../upkeep/backup/backups.js";
import type { App } from "../../app-type.js";

/** A backup of the whole server, for `muster backup`. */
export function backupRoutes(app: App, backups: Backups): void {
  app.post(
    "/backup",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["operations"],
        summary: "Make a backup of the whole server",
        description:
          "Answers the file while it is made: all organizations, the key that seals secrets, and files of jobs, as they are at this moment. A file that was cut off lacks its end mark; `muster backup --verify` finds that.",
        ...OPERATIONS_API["POST /api/v1/backup"],
      },
    },
    async ({ body }, reply) => send(reply, await backups.open(body.passphrase)),
  );
}

function send(reply: FastifyReply, content: Readable): FastifyReply {
  return reply.type("application/octet-stream").header("cache-control", "no-store, no-transform").send(content);
}
