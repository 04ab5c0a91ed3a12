import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Connectors } from "../../../connectors/connectors.js";
import type { DeliveryTraces } from "../../../deliveries/sending/delivery-traces.js";
import type { DeliveryStates } from "../../../deliveries/shown/delivery-states.js";
import type { App } from "../../app-type.js";
import type { RequireObject } from "../../object-handler.js";
import { connectorNotFound, findConnector } from "../connectors/find-connector.js";
import { describePage, limitsOf, pageOfAll } from "../pagination.js";

export interface DeliveryRoutesOptions {
  states: DeliveryStates;
  traces: DeliveryTraces;
  connectors: Connectors;
  brand: Brand;
  requireObject: RequireObject;
}

const NullableTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

const DeliveryRecord = Type.Object(
  {
    connector_id: Type.String(),
    queued_messages: Type.Integer({ description: "Messages that wait to be sent." }),
    lag_ms: Type.Integer({ description: "Age of the oldest waiting message." }),
    circuit: Type.String({
      description:
        "`closed`; `open` after several failed calls in a row; `half-open` when the next call tests the connector.",
    }),
    next_call_at: NullableTime,
    pause_reason: Type.Union([Type.String(), Type.Null()], {
      description: "Why no call is made before `next_call_at`, as a sentence.",
    }),
    batch_size: Type.Integer({ description: "The largest number of messages in a call, as the connector asked for." }),
    failures: Type.Integer({ description: "How many calls failed in a row." }),
    last_error: Type.Union([Type.String(), Type.Null()]),
    sent_messages: Type.Integer(),
    failed_calls: Type.Integer(),
    dead_messages: Type.Integer({ description: "How many messages were ever given up." }),
    dead_letters: Type.Integer({ description: "How many of these are still kept." }),
    last_sent_at: NullableTime,
    last_failed_at: NullableTime,
  },
  { component: "Delivery", description: "How the delivery to a connector stands." },
);

export const TraceRecord = Type.Object(
  {
    sent_at: Type.String({ format: "date-time" }),
    connector_id: Type.String(),
    channel: Type.String(),
    result: Type.String({ description: "`delivered`, `deferred`, `refused` or `unavailable`." }),
    status: Type.Integer({ description: "HTTP status of the answer; 0 when there was none." }),
    duration_ms: Type.Integer(),
    notification_id: Type.String(),
    message_id: Type.String(),
    reason: Type.String(),
  },
  { component: "Trace", description: "A note about one message that was sent." },
);

/** The state of the delivery to each connector, and what connectors were sent about a user or account. */
export function deliveryRoutes(app: App, options: DeliveryRoutesOptions): void {
  const { states, traces, connectors, brand, requireObject } = options;

  app.get(
    "/deliveries",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "How the delivery to each connector stands",
        querystring: PageQuery,
        response: { 200: Type.Array(DeliveryRecord) },
      },
    },
    async (request, reply) => {
      const all = await states.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );

  app.get(
    "/:id/delivery",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "How the delivery to one connector stands",
        params: Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) }),
        response: { 200: DeliveryRecord },
      },
    },
    async ({ caller, params }) => {
      const delivery = await states.find(await findConnector(connectors, params.id, caller));
      if (!delivery) throw connectorNotFound(params.id);
      return delivery;
    },
  );

  app.get(
    "/:id/traces",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "What connectors were sent about a user or account, the latest first",
        description: "Traces are kept for 30 days. A call appears within a few seconds.",
        params: Type.Object({
          id: Type.String({ description: "A user or account id, or `me`; also another object, `app` or `org`." }),
        }),
        querystring: Type.Intersect([
          PageQuery,
          Type.Object({ connector_id: Type.Optional(Type.String({ description: "Only calls to this connector." })) }),
        ]),
        response: { 200: Type.Array(TraceRecord) },
      },
    },
    async (request, reply) => {
      const id = await requireObject(request.params.id, request.caller);
      const { connector_id: connectorId } = request.query;
      const page = { ...limitsOf(request.query), ...(connectorId === undefined ? {} : { connectorId }) };
      const organizationId = request.caller.organization.id;
      const found = await traces.list(organizationId, id, page);
      describePage(request, reply, brand, request.query, found.total);
      return found.traces;
    },
  );
}
