import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions } from "@muster/connector";
import { admin, preview, receive, recent, status } from "./handlers.js";

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      // Subscribed to so that a new script is in force at once.
      subscriptions: { shipUpdate: () => {} },
      incoming: { receive },
      json: { preview, recent },
      html: { admin },
      statuses: { status },
    },
    ...options,
  });
}
