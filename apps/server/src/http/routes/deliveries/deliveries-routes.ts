import type { Brand } from "@muster/protocol";
import type { Connectors } from "../../../connectors/connectors.js";
import type { DeliveryServices } from "../../../deliveries/open-deliveries.js";
import type { App } from "../../app-type.js";
import type { RequireObject } from "../../object-handler.js";
import { connectorDeliveryRoutes } from "./connector-deliveries.js";
import { deadLetterRoutes } from "./dead-letters.js";
import { deliveryRoutes } from "./deliveries.js";
import { keyRoutes } from "./keys.js";
import { resumeDeliveriesRoutes } from "./resume-deliveries.js";
import { testMessageRoutes } from "./test-messages.js";

export interface DeliveriesRoutesOptions
  extends Pick<
    DeliveryServices,
    | "callPermit"
    | "deliveryStates"
    | "deliveryFigures"
    | "deliveryTraces"
    | "laterReports"
    | "deadLetters"
    | "signer"
    | "testMessages"
  > {
  connectors: Connectors;
  brand: Brand;
  requireObject: RequireObject;
}

/** What connectors were sent, what could not be delivered, and the keys that notifications are signed with. */
export function deliveriesRoutes(api: App, options: DeliveriesRoutesOptions): void {
  const { deliveryStates: states, deliveryFigures: figures, deliveryTraces: traces, deadLetters, signer } = options;
  const { callPermit, laterReports, testMessages, connectors, brand, requireObject } = options;
  deliveryRoutes(api, { states, traces, connectors, brand, requireObject });
  connectorDeliveryRoutes(api, { figures, traces, laterReports, connectors, brand });
  testMessageRoutes(api, { testMessages, connectors });
  deadLetterRoutes(api, { deadLetters, brand });
  resumeDeliveriesRoutes(api, callPermit);
  keyRoutes(api, signer);
}
