import { type Brand, Refusal } from "@muster/protocol";
import { DELIVERIES_API } from "@muster/protocol/api/deliveries";
import type { Connectors } from "../../../connectors/connectors.js";
import type { DeliveryTraces } from "../../../deliveries/sending/delivery-traces.js";
import type { LaterReports } from "../../../deliveries/sending/later-reports.js";
import type { DeliveryFigures } from "../../../deliveries/shown/delivery-figures.js";
import type { App } from "../../app-type.js";
import { findOwnConnector, findUsableConnector } from "../connectors/find-connector.js";
import { describePage, limitsOf } from "../pagination.js";

export interface ConnectorDeliveryRoutesOptions {
  figures: DeliveryFigures;
  traces: DeliveryTraces;
  laterReports: LaterReports;
  connectors: Connectors;
  brand: Brand;
}

/** What happened to the messages of one connector: figures over time, single messages, and some as they were sent. */
export function connectorDeliveryRoutes(app: App, options: ConnectorDeliveryRoutesOptions): void {
  const { figures, traces, laterReports, connectors, brand } = options;

  app.get(
    "/:id/delivery/figures",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Messages considered, queued, delivered and given up over time, and why calls failed",
        ...DELIVERIES_API["GET /api/v1/{id}/delivery/figures"],
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
        ...DELIVERIES_API["GET /api/v1/{id}/delivery/traces"],
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const connector = await findUsableConnector(connectors, params.id, caller);
      const { entity_id: objectId, channel, result } = query;
      const filter = {
        ...(objectId === undefined ? {} : { objectId }),
        ...(channel === undefined ? {} : { channel }),
        ...(result === undefined ? {} : { results: RESULTS[result], isLast: result === "open" }),
      };
      const found = await traces.ofConnector(connector, filter, limitsOf(query));
      describePage(request, reply, brand, query, found.total);
      return found.traces;
    },
  );

  app.post(
    "/:id/delivery/results",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Report what became of messages after the answer to their call",
        description:
          "For messages that the connector reported as `retried`, or said nothing about although it reported about others. The first such report counts, and later ones are ignored, unless it was `retried` too.",
        ...DELIVERIES_API["POST /api/v1/{id}/delivery/results"],
      },
    },
    async ({ caller, params, body }) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      return laterReports.take(connector, body.results);
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
        ...DELIVERIES_API["GET /api/v1/{id}/delivery/messages/{notification_id}/{message_id}"],
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
  skipped: ["skipped"],
  open: ["retried", "unreported"],
} as const;
