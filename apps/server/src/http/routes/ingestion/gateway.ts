import { type Brand, Refusal } from "@muster/protocol";
import type { RouteOptions } from "fastify";
import { Type } from "typebox";
import { readTimestamp } from "../../../domain/entries/admit-entry.js";
import { BatchRefusal } from "../../../domain/entries/batch-refusal.js";
import type { Intake } from "../../../pipeline/accept/intake.js";
import type { App } from "../../app-type.js";
import { connectorOf } from "../../auth/caller.js";
import { tooManyEntries } from "../../body/read-json.js";
import { readCompressed } from "../../hooks/read-compressed.js";
import { anyValueAs } from "../../reference/named-schema.js";
import { IdempotencyHeaders } from "./idempotency-headers.js";

export interface GatewayRoutesOptions {
  intake: Intake;
  brand: Brand;
  limitBytes: number;
  limitEntries: number;
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

const CALLER_MAX_AGE_MS = 1_000;

/** The batch ingestion gateway: `POST /firehose` of any host, `POST /` of hosts `firehose.*`. */
export function gatewayRoutes(app: App, { intake, brand, limitBytes, limitEntries }: GatewayRoutesOptions): void {
  const route = {
    method: "POST",
    bodyLimit: limitBytes,
    // Senders call many times a second, so the caller is remembered for a second. A secret that another process has
    // revoked works here for that time.
    config: { access: "connector", callerMaxAgeMs: CALLER_MAX_AGE_MS, maxBatchEntries: limitEntries },
    schema: {
      tags: ["gateway"],
      summary: "Send a batch of track, traits, alias, unalias and incinerate entries",
      headers: IdempotencyHeaders,
      body: Body,
      response: { 200: Answer },
    },
    preParsing: readCompressed,
  } as const;

  const handler: RouteOptions["handler"] = async (request, reply) => {
    const connector = connectorOf(request.caller);
    // The schema of the route has checked the shape.
    const { batch, timestamp, sentAt } = request.body as { batch: unknown[]; timestamp: unknown; sentAt: unknown };
    if (batch.length > limitEntries) throw tooManyEntries(limitEntries, batch.length);
    const timestampMs = readTimestamp(timestamp);
    const sentAtMs = readTimestamp(sentAt);
    if (timestampMs === undefined || sentAtMs === undefined) {
      const path = timestampMs === undefined ? "body.timestamp" : "body.sentAt";
      throw new Refusal("invalid_parameter", `${path} is not a date.`, {
        details: [{ path, message: "is not a date" }],
      });
    }
    const key = request.headers["idempotency-key"];
    try {
      const answer = await intake.acceptBatch(request.caller.organization.id, connector, {
        batch,
        timestampMs,
        sentAtMs,
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
