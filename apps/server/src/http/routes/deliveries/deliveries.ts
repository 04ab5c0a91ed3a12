import { type Brand, Refusal } from "@muster/protocol";
import { Type } from "typebox";
import { circuitOf, NEW_DELIVERY } from "../../../domain/delivery/delivery.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import { type DeliveryFigures, readDeliveryFigures } from "../../../storage/postgres/delivery/delivery-states.js";
import { listTraces } from "../../../storage/postgres/delivery/traces.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { findConnector } from "../connectors/find-connector.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";

export interface DeliveryRoutesOptions {
  database: Database;
  connectors: ConnectorStore;
  brand: Brand;
  /** Whether the organization has an object of this id. */
  objectExists(id: string, caller: Caller): Promise<boolean>;
}

const NullableTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

const DeliveryRecord = Type.Object({
  connector_id: Type.String(),
  queued_messages: Type.Integer({ description: "Messages that wait." }),
  lag_ms: Type.Integer({ description: "Age of the oldest of them." }),
  circuit: Type.String({ description: "`closed`, `open` while calls fail, `half-open` when the next one probes." }),
  next_call_at: NullableTime,
  batch_size: Type.Integer({ description: "Most messages in a call, as the connector asked for." }),
  failures: Type.Integer({ description: "Calls that failed in a row." }),
  last_error: Type.Union([Type.String(), Type.Null()]),
  sent_messages: Type.Integer(),
  failed_calls: Type.Integer(),
  dead_messages: Type.Integer({ description: "Messages ever given up." }),
  dead_letters: Type.Integer({ description: "Messages given up that are still kept." }),
  last_sent_at: NullableTime,
  last_failed_at: NullableTime,
});

const TraceRecord = Type.Object({
  sent_at: Type.String({ format: "date-time" }),
  connector_id: Type.String(),
  channel: Type.String(),
  result: Type.String({ description: "`delivered`, `deferred`, `refused` or `unavailable`." }),
  status: Type.Integer({ description: "HTTP status of the answer; 0 when there was none." }),
  duration_ms: Type.Integer(),
  notification_id: Type.String(),
  message_id: Type.String(),
  reason: Type.String(),
});

/** How connectors are being told, and what each was told about whom. */
export function deliveryRoutes(app: App, options: DeliveryRoutesOptions): void {
  const { database, connectors, brand, objectExists } = options;

  app.get(
    "/deliveries",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "How the delivery to each connector fares",
        response: { 200: Type.Array(DeliveryRecord) },
      },
    },
    async ({ caller }) => {
      const figures = await readDeliveryFigures(database, { organizationId: caller.organization.id });
      return figures.map((each) => deliveryRecord(each, Date.now()));
    },
  );

  app.get(
    "/:id/delivery",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "How the delivery to one connector fares",
        params: Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) }),
        response: { 200: DeliveryRecord },
      },
    },
    async ({ caller, params }) => {
      const connector = await findConnector(connectors, params.id, caller);
      const only = { organizationId: caller.organization.id, connectorId: connector.id };
      const [figures] = await readDeliveryFigures(database, only);
      return deliveryRecord(figures!, Date.now());
    },
  );

  app.get(
    "/:id/traces",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "What connectors were sent about a user or account, the latest first",
        description: "Kept for 30 days. A call shows up within a few seconds.",
        params: Type.Object({ id: Type.String({ description: "User or account id." }) }),
        querystring: Type.Intersect([PageQuery, Type.Object({ connector_id: Type.Optional(Type.String()) })]),
        response: { 200: Type.Array(TraceRecord) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!(await objectExists(id, request.caller))) {
        throw new Refusal("not_found", `There is no object "${id.slice(0, 100)}".`);
      }
      const { connector_id: connectorId } = request.query;
      const page = { ...limitsOf(request.query), ...(connectorId === undefined ? {} : { connectorId }) };
      const organizationId = request.caller.organization.id;
      const { total, traces } = await listTraces(database, organizationId, id, page);
      describePage(request, reply, brand, request.query, total);
      return traces;
    },
  );
}

function deliveryRecord(figures: DeliveryFigures, now: number) {
  const { waitingSince } = figures;
  const state = { ...NEW_DELIVERY, ...figures.state };
  return {
    connector_id: figures.connectorId,
    queued_messages: figures.queuedMessages,
    lag_ms: waitingSince ? now - waitingSince.getTime() : 0,
    circuit: circuitOf(state, now),
    next_call_at: state.notBefore > now ? new Date(state.notBefore).toISOString() : null,
    batch_size: state.size,
    failures: state.failures,
    last_error: state.lastError ?? null,
    sent_messages: figures.sentMessages,
    failed_calls: figures.failedCalls,
    dead_messages: figures.deadMessages,
    dead_letters: figures.deadLetters,
    last_sent_at: figures.lastSentAt?.toISOString() ?? null,
    last_failed_at: figures.lastFailedAt?.toISOString() ?? null,
  };
}
