import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Connectors } from "../../../connectors/connectors.js";
import type { DeliveryTraces } from "../../../deliveries/sending/delivery-traces.js";
import { type DeliveryFigures, FIGURE_RANGES } from "../../../deliveries/shown/delivery-figures.js";
import type { App } from "../../app-type.js";
import { findUsableConnector } from "../connectors/find-connector.js";
import { describePage, limitsOf } from "../pagination.js";
import { TraceRecord } from "./deliveries.js";

export interface ConnectorDeliveryRoutesOptions {
  figures: DeliveryFigures;
  traces: DeliveryTraces;
  connectors: Connectors;
  brand: Brand;
}

const Params = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

const Counts = {
  considered: Type.Integer({ description: "Messages about changes, on channels that the connector subscribes to." }),
  addressed: Type.Integer({ description: "Those that passed its filters." }),
  queued: Type.Integer({ description: "All that were queued: also exports, notices and dead letters sent again." }),
  calls: Type.Integer(),
  failed_calls: Type.Integer(),
  sent: Type.Integer({ description: "Messages in calls; each attempt at a message counts." }),
  delivered: Type.Integer({ description: "Messages that the connector has accepted." }),
  retried: Type.Integer({ description: "Attempts after which the message stayed in the queue." }),
  dead: Type.Integer({ description: "Messages that were given up." }),
  lag_ms: Type.Integer({ description: "The longest time that a delivered message had waited." }),
};

const FiguresRecord = Type.Object(
  {
    from: Type.String({ format: "date-time" }),
    to: Type.String({ format: "date-time" }),
    step_ms: Type.Integer({ description: "The time that each point is about." }),
    points: Type.Array(Type.Object({ at: Type.String({ format: "date-time" }), ...Counts })),
    total: Type.Object(Counts),
    causes: Type.Array(
      Type.Object({
        cause: Type.String({ description: "Why calls failed, without the values that differ from call to call." }),
        status: Type.Integer({ description: "HTTP status of the answer; 0 when there was none." }),
        calls: Type.Integer(),
        messages: Type.Integer(),
        last_at: Type.String({ format: "date-time" }),
      }),
      { description: "The latest first." },
    ),
  },
  { component: "DeliveryFigures", description: "What became of the messages of a connector over time." },
);

const ConnectorTrace = Type.Object(
  { ...TraceRecord.properties, entity_id: Type.String({ description: "The object that the message was about." }) },
  { component: "ConnectorTrace", description: "A note about one message that a connector was sent." },
);

/** What happened to the messages of one connector: figures over time, single messages, and some as they were sent. */
export function connectorDeliveryRoutes(app: App, options: ConnectorDeliveryRoutesOptions): void {
  const { figures, traces, connectors, brand } = options;

  app.get(
    "/:id/delivery/figures",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Messages considered, queued, delivered and given up over time, and why calls failed",
        params: Params,
        querystring: Type.Object({
          range: Type.Enum([...FIGURE_RANGES], { default: "hour", description: "How far back the figures go." }),
        }),
        response: { 200: FiguresRecord },
      },
    },
    async ({ caller, params, query }) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      return figures.read(connector, query.range, new Date());
    },
  );

  app.get(
    "/:id/delivery/traces",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "What one connector was sent, the latest first",
        description: "The total count is at most 10,000. A call appears within a few seconds.",
        params: Params,
        querystring: Type.Object({
          ...PageQuery.properties,
          entity_id: Type.Optional(Type.String({ description: "Only messages about this user, account or object." })),
          channel: Type.Optional(Type.String({ description: "Such as `user:update`." })),
          result: Type.Optional(
            Type.Enum(["delivered", "failed"], { description: "Only messages that were, or were not, delivered." }),
          ),
        }),
        response: { 200: Type.Array(ConnectorTrace) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findUsableConnector(connectors, params.id, caller);
      const { entity_id: objectId, channel, result } = query;
      const filter = {
        ...(objectId === undefined ? {} : { objectId }),
        ...(channel === undefined ? {} : { channel }),
        ...(result === undefined ? {} : { results: RESULTS[result] }),
      };
      const found = await traces.ofConnector(connector, filter, limitsOf(query));
      describePage(request, reply, brand, query, found.total);
      return found.traces;
    },
  );

  app.get(
    "/:id/delivery/messages/:notification_id/:message_id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "A message as it was sent, and what the connector answered",
        description: "A few messages a minute are kept, for a day. Long ones are cut.",
        params: Type.Object({
          ...Params.properties,
          notification_id: Type.String({ description: "The call, as a trace names it." }),
          message_id: Type.String({ description: "The message, as a trace names it." }),
        }),
        response: {
          200: Type.Object({
            url: Type.String(),
            request: Type.String({ description: "The message as JSON; cut when it is long." }),
            answer: Type.String({ description: "Empty when there was no answer." }),
          }),
        },
      },
    },
    async ({ caller, params }) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      const message = { notificationId: params.notification_id, messageId: params.message_id };
      const kept = await traces.findKept(connector, message);
      if (!kept) {
        throw new Refusal("not_found", "This message was not kept as it was sent: only a few a minute are, for a day.");
      }
      return kept;
    },
  );
}

const RESULTS = {
  delivered: ["delivered"],
  failed: ["deferred", "refused", "unavailable"],
} as const;
