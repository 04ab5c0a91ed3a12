import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { Backups } from "../../../upkeep/backup/backups.js";
import type { App } from "../../app-type.js";

const MIN_PASSPHRASE_LENGTH = 8;

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
        body: Type.Object({
          passphrase: Type.Optional(
            Type.String({
              minLength: MIN_PASSPHRASE_LENGTH,
              description: "Seals the key in the backup. Without it the key is left out.",
            }),
          ),
        }),
        response: {
          200: {
            description: "The backup.",
            content: { "application/octet-stream": { schema: Type.String({ description: "Bytes." }) } },
          },
        },
      },
    },
    async ({ body }, reply) => send(reply, await backups.open(body.passphrase)),
  );
}

function send(reply: FastifyReply, content: Readable): FastifyReply {
  return reply.type("application/octet-stream").header("cache-control", "no-store, no-transform").send(content);
}
