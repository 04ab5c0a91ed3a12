import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions } from "@muster/connector";
import { address, admin, preview, receive, recent, status } from "./handlers.js";

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      // The subscription makes a new script take effect at once. There is nothing else to do.
      subscriptions: { shipUpdate: () => {} },
      incoming: { receive },
      json: { address, preview, recent },
      html: { admin },
      statuses: { status },
    },
    ...options,
  });
}
