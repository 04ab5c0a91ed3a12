import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions } from "@muster/connector";
import { editor, preview } from "./preview.js";
import { processAccounts, processUsers, status } from "./process.js";
import { tryOnMany } from "./try-on-many.js";

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      subscriptions: {
        userUpdate: processUsers,
        accountUpdate: processAccounts,
        // The subscription makes new scripts take effect at once. There is nothing else to do.
        shipUpdate: () => {},
      },
      json: { preview, tryOnMany },
      html: { editor },
      statuses: { status },
    },
    ...options,
  });
}
