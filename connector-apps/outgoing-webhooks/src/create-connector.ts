import { fileURLToPath } from "node:url";
import {
  ConfigurationError,
  Connector,
  type ConnectorOptions,
  type Context,
  type StatusAnswer,
} from "@muster/connector";
import type { AccountUpdateMessage, UserUpdateMessage } from "@muster/protocol";
import { accountDeliveries, type Delivery, userDeliveries } from "./deliveries.js";
import { reportOf } from "./report-of.js";
import { sendAll } from "./send.js";
import { readSettings, type Settings } from "./settings.js";

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      subscriptions: {
        userUpdate: (ctx, messages: UserUpdateMessage[]) => send(ctx, messages, userDeliveries),
        accountUpdate: (ctx, messages: AccountUpdateMessage[]) => send(ctx, messages, accountDeliveries),
        // The subscription makes new settings take effect at once. There is nothing else to do.
        shipUpdate: () => {},
      },
      statuses: { status },
    },
    ...options,
  });
}

/** Makes the calls for all messages, and reports what the URL answered. */
async function send<Message extends { message_id: string }>(
  ctx: Context,
  messages: readonly Message[],
  deliveriesOf: (message: Message, settings: Settings, isBatch: boolean) => Delivery[],
): Promise<void> {
  const settings = readSettings(ctx.connector);
  const deliveries = messages.map((message) => deliveriesOf(message, settings, ctx.isBatch));
  const { answers, failure } = await sendAll(ctx, settings, deliveries.flat());
  for (const [index, message] of messages.entries()) ctx.report(message, reportOf(deliveries[index]!, answers));
  // Muster sends the messages again. A repetition leaves out the calls that are over.
  if (failure !== undefined) throw failure;
}

function status({ connector }: Context): StatusAnswer {
  try {
    readSettings(connector);
    return { status: "ok", messages: [] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const isNew = !connector.private_settings.url;
    return { status: isNew ? "setupRequired" : "error", messages: [error.message] };
  }
}
