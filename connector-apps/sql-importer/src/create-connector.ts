import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions } from "@muster/connector";
import { preview, run, status } from "./handlers.js";

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      // The subscription makes new settings take effect at once. There is nothing else to do.
      subscriptions: { shipUpdate: () => {} },
      schedules: { sync: run },
      json: { preview, run },
      statuses: { status },
    },
    ...options,
  });
}
