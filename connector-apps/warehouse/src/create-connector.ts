import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions } from "@muster/connector";
import { Databases } from "./databases.js";
import { status, subscriptionHandlers } from "./handlers.js";

export function createConnector(options: ConnectorOptions = {}, databases = new Databases()): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      subscriptions: subscriptionHandlers(databases),
      statuses: { status: (ctx) => status(ctx, databases) },
    },
    ...options,
  });
}
