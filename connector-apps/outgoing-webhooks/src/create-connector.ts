import { fileURLToPath } from "node:url";
import {
  ConfigurationError,
  Connector,
  type ConnectorOptions,
  type Context,
  type StatusAnswer,
} from "@muster/connector";
import type { AccountUpdateMessage, UserUpdateMessage } from "@muster/protocol";
import { accountDeliveries, userDeliveries } from "./deliveries.js";
import { sendAll } from "./send.js";
import { readSettings } from "./settings.js";

export function createConnector(options: ConnectorOptions = {}): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      subscriptions: {
        userUpdate: (ctx, messages: UserUpdateMessage[]) => sendUsers(ctx, messages),
        accountUpdate: (ctx, messages: AccountUpdateMessage[]) => sendAccounts(ctx, messages),
        // The subscription makes new settings take effect at once. There is nothing else to do.
        shipUpdate: () => {},
      },
      statuses: { status },
    },
    ...options,
  });
}

async function sendUsers(ctx: Context, messages: UserUpdateMessage[]): Promise<void> {
  const settings = readSettings(ctx.connector);
  await sendAll(
    ctx,
    settings,
    messages.flatMap((message) => userDeliveries(message, settings, ctx.isBatch)),
  );
}

async function sendAccounts(ctx: Context, messages: AccountUpdateMessage[]): Promise<void> {
  const settings = readSettings(ctx.connector);
  await sendAll(
    ctx,
    settings,
    messages.flatMap((message) => accountDeliveries(message, settings, ctx.isBatch)),
  );
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
