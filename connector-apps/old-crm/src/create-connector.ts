import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions, type Context } from "@muster/connector";
import type { UserUpdateMessage } from "@muster/protocol";
import { answerOf } from "./answer-of.js";

/** A connector of the demo. Its CRM is made up, so that failures can be seen without a service that fails. */
export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: { subscriptions: { userUpdate: send } },
    ...options,
  });
}

function send(ctx: Context, messages: UserUpdateMessage[]): void {
  for (const message of messages) ctx.report(message, answerOf(message.user));
}
