import type { Brand } from "@muster/protocol";
import type { FastifySchemaCompiler, RouteOptions } from "fastify";
import { Type } from "typebox";
import { BatchRefusal } from "../../../domain/entries/batch-refusal.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { App } from "../../app-type.js";
import { connectorOf } from "../../auth/caller.js";
import { readCompressed } from "../../hooks/read-compressed.js";
import { anyValueAs } from "../../reference/named-schema.js";
import { IdempotencyHeaders } from "./idempotency-headers.js";

export interface GatewayRoutesOptions {
  intake: Intake;
  brand: Brand;
  limitBytes: number;
}

const Body = Type.Object({
  timestamp: Type.Union([Type.String(), Type.Number()], { description: "When the batch was made." }),
  sentAt: Type.Union([Type.String(), Type.Number()], { description: "When it was sent, by the sender's clock." }),
  batch: Type.Array(anyValueAs("BatchEntry"), { description: "The entries, in the order in which they happened." }),
});

const Answer = Type.Object({
  position: Type.String({ description: "Where the batch is in the ingestion log." }),
  accepted: Type.Integer({ description: "How many entries were accepted." }),
  rejected: Type.Array(Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() }), {
    description: "The entries that were refused, by their place in the batch, and why.",
  }),
  duplicate: Type.Boolean({ description: "Whether the batch was sent before; the answer is then the first one." }),
});

/** The intake checks the body, on another thread. Its schema here is for the reference of the API. */
function checkAllButBody(app: App): FastifySchemaCompiler<object> {
  const compile = app.validatorCompiler as FastifySchemaCompiler<object>;
  return (part) => (part.httpPart === "body" ? () => true : compile(part));
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
      headers: IdempotencyHeaders,
      body: Body,
      response: { 200: Answer },
    },
    preParsing: readCompressed,
    validatorCompiler: checkAllButBody(app),
  } as const;

  const handler: RouteOptions["handler"] = async (request, reply) => {
    const connector = connectorOf(request.caller);
    const key = request.headers["idempotency-key"];
    try {
      const answer = await intake.acceptBatch(request.caller.organization.id, connector, {
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
