import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Queryable } from "../../../storage/postgres/database.js";
import { findPublicKey } from "../../../storage/postgres/delivery/signing-keys.js";
import type { App } from "../../app-type.js";

/** The public keys that notifications are signed with, for whoever checks a signature. */
export async function keyRoutes(app: App, database: Queryable): Promise<void> {
  await app.register(async (keys: App) => {
    // Existing connectors post the signature here, in a form of their own: it is not looked at.
    keys.removeAllContentTypeParsers();
    keys.addContentTypeParser("*", (_request, payload, done) => {
      payload.resume();
      payload.on("end", () => done(null));
    });
    keys.route({
      method: ["GET", "POST"],
      url: "/keys/:id",
      config: { access: "open" },
      schema: {
        tags: ["connectors"],
        summary: "A public key that notifications are signed with, as PEM",
        params: Type.Object({ id: Type.String() }),
      },
      handler: async ({ params }, reply) => {
        const { id } = params as { id: string };
        const key = await findPublicKey(database, id);
        if (!key) throw new Refusal("not_found", `There is no key "${id.slice(0, 100)}".`);
        return reply.type("text/plain").send(key);
      },
    });
  });
}
