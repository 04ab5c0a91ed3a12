import { Refusal } from "@muster/protocol";
import { DELIVERIES_API } from "@muster/protocol/api/deliveries";
import type { NotificationSigner } from "../../../deliveries/sending/notification-signer.js";
import type { App } from "../../app-type.js";

const MAX_SIGNATURE_BYTES = 16 * 1024;

/** Making a new key to sign notifications with. */
export function keyRoutes(app: App, signer: NotificationSigner): void {
  app.post(
    "/keys",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["connectors"],
        summary: "Sign notifications with a new key; it has an address of its own",
        ...DELIVERIES_API["POST /api/v1/keys"],
      },
    },
    async (_request, reply) => {
      reply.status(201);
      return signer.rotate();
    },
  );
}

/** The public keys, for connectors that check a signature. They are outside the API: their address has no version. */
export async function publicKeyRoutes(app: App, signer: NotificationSigner): Promise<void> {
  await app.register(async (keys: App) => {
    // Existing connectors post a signature here, each in its own content type. Nothing reads that body.
    keys.removeAllContentTypeParsers();
    keys.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_SIGNATURE_BYTES }, (_request, _body, done) =>
      done(null),
    );
    keys.route({
      method: ["GET", "POST"],
      url: "/keys/:id",
      config: { access: "open" },
      schema: {
        tags: ["connectors"],
        summary: "A public key that notifications are signed with, as PEM",
        ...DELIVERIES_API["GET /keys/{id}"],
      },
      handler: async ({ params }, reply) => {
        const { id } = params as { id: string };
        const key = await signer.publicKey(id);
        if (!key) throw new Refusal("not_found", `There is no key "${id.slice(0, 100)}".`);
        return reply.type("text/plain").send(key);
      },
    });
  });
}
