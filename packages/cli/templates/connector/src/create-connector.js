import { fileURLToPath } from "node:url";
import { Connector } from "@muster/connector";
import { status, userUpdate } from "./handlers.js";

/** @param {import("@muster/connector").ConnectorOptions} options */
export function createConnector(options = {}) {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: { subscriptions: { userUpdate }, statuses: { status } },
    ...options,
  });
}
