import { fileURLToPath } from "node:url";
import { Connector } from "@muster/connector";
import { shipUpdate, status, userUpdate } from "./handlers.js";
import { contactChanged, webhookAddress } from "./webhook.js";

/** @param {import("@muster/connector").ConnectorOptions} options */
export function createConnector(options = {}) {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      subscriptions: { userUpdate, shipUpdate },
      json: { webhookAddress },
      incoming: { contactChanged },
      statuses: { status },
    },
    hostSecret: process.env.HOST_SECRET,
    ...options,
  });
}
