import type { Brand } from "@muster/protocol";
import { INGESTION_API } from "@muster/protocol/api/ingestion";
import type { RouteOptions } from "fastify";
import { BatchRefusal } from "../../../domain/entries/batch-refusal.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { App } from "../../app-type.js";
import { connectorOf } from "../../auth/caller.js";
import { readCompressed } from "../../hooks/read-compressed.js";
import { checkAllButBody } from "./unchecked-body.js";

export interface GatewayRoutesOptions {
  intake: Intake;
  brand: Brand;
  limitBytes: number;
}

/** The bytes of the body. One that is missing, or that a content type other than JSON has made a text, is not usable. */
function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? '""' : "null");
}

const CALLER_MAX_AGE_MS = 1_000;

/** The batch ingestion gateway: `POST /firehose` of any host, `POST /` of hosts `firehose.*`. */
export function gatewayRoutes(app: App, { intake, brand, limitBytes }: GatewayRoutesOptions): void {
  const route = {
    method: "POST",
    bodyLimit: limitBytes,
    // Senders call many times a second, so the caller is remembered for a second. A secret that another process has
    // revoked works here for that time.
    config: { access: "connector", callerMaxAgeMs: CALLER_MAX_AGE_MS, takesBytes: true },
    schema: {
      tags: ["gateway"],
      summary: "Send a batch of track, traits, alias, unalias and incinerate entries",
      ...INGESTION_API["POST /firehose"],
    },
    preParsing: readCompressed,
    validatorCompiler: checkAllButBody(app),
  } as const;

  const handler: RouteOptions["handler"] = async (request, reply) => {
    const { id, secret } = connectorOf(request.caller);
    const key = request.headers["idempotency-key"];
    try {
      const answer = await intake.acceptBatch(request.caller.organization.id, {
        from: { kind: "entries", connector: { id, secret } },
        body: bytesOf(request.body),
        idempotencyKey: typeof key === "string" && key !== "" ? key.slice(0, 500) : undefined,
      });
      return reply.header(brand.headers.position, answer.position).send(answer);
    } catch (error) {
      if (!(error instanceof BatchRefusal)) throw error;
      return reply.status(error.status).send(error.body());
    }
  };

  app.route({ ...route, url: "/firehose", handler });
  app.route({
    ...route,
    url: "/",
    constraints: { host: /^firehose\./i },
    schema: { ...route.schema, hide: true },
    handler,
  });
}
