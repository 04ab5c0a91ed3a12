import type { Brand } from "@muster/protocol";
import { DELIVERIES_API } from "@muster/protocol/api/deliveries";
import type { Connectors } from "../../../connectors/connectors.js";
import type { DeliveryTraces } from "../../../deliveries/sending/delivery-traces.js";
import type { DeliveryStates } from "../../../deliveries/shown/delivery-states.js";
import type { App } from "../../app-type.js";
import { ownConnectorId } from "../../auth/caller.js";
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
        ...DELIVERIES_API["GET /api/v1/deliveries"],
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
        ...DELIVERIES_API["GET /api/v1/{id}/delivery"],
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
        description:
          "Traces are kept for 30 days. A call appears within a few seconds. A connector sees only what it was sent itself.",
        ...DELIVERIES_API["GET /api/v1/{id}/traces"],
      },
    },
    async (request, reply) => {
      const id = await requireObject(request.params.id, request.caller);
      // What other connectors answered is theirs.
      const connectorId = ownConnectorId(request.caller) ?? request.query.connector_id;
      const page = { ...limitsOf(request.query), ...(connectorId === undefined ? {} : { connectorId }) };
      const organizationId = request.caller.organization.id;
      const found = await traces.list(organizationId, id, page);
      describePage(request, reply, brand, request.query, found.total);
      return found.traces;
    },
  );
}
