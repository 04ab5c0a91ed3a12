import type { Brand } from "@muster/protocol";
import type { ConnectorWorks } from "../../../connectors/connector-works.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import type { Questions } from "../../../storage/questions/questions.js";
import type { App } from "../../app-type.js";
import type { ObjectExists } from "../object-handler.js";
import { deadLetterRoutes } from "./dead-letters.js";
import { deliveryRoutes } from "./deliveries.js";

export interface DeliveriesRoutesOptions {
  brand: Brand;
  objectExists: ObjectExists;
  works: ConnectorWorks;
  maxAttributes: number;
  database: Database;
  questions: Questions;
  connectors: ConnectorStore;
}

/** What connectors were sent, and what could not be delivered. */
export function deliveriesRoutes(api: App, options: DeliveriesRoutesOptions): void {
  const { brand, objectExists, works, maxAttributes, database, questions, connectors } = options;
  deliveryRoutes(api, { database, connectors, brand, objectExists });
  deadLetterRoutes(api, {
    database,
    questions,
    maxAttributes,
    brand,
    onQueued: (connectorIds) => works.wake(connectorIds),
  });
}
