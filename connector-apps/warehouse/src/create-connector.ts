import { fileURLToPath } from "node:url";
import {
  ConfigurationError,
  Connector,
  type ConnectorOptions,
  type Context,
  type StatusAnswer,
} from "@muster/connector";
import type {
  AccountDeleteMessage,
  AccountUpdateMessage,
  SegmentRecord,
  UserDeleteMessage,
  UserUpdateMessage,
} from "@muster/protocol";
import { Databases } from "./databases.js";
import { readSettings } from "./settings.js";
import { deleteAccounts, deleteSegments, deleteUsers, writeAccounts, writeSegments, writeUsers } from "./write.js";

export function createConnector(options: ConnectorOptions = {}, databases = new Databases()): Connector {
  return new Connector({
    manifest: fileURLToPath(new URL("../manifest.json", import.meta.url)),
    handlers: {
      subscriptions: {
        async userUpdate(ctx, messages: UserUpdateMessage[]) {
          const wanted = messages.filter(({ matchesFilter }) => matchesFilter);
          const settings = readSettings(ctx.connector);
          const segments = [...ctx.segments, ...ctx.accountsSegments];
          await databases.write(settings, async (tx) => {
            await writeSegments(tx, settings, segments);
            await writeUsers(tx, settings, wanted);
          });
        },
        async accountUpdate(ctx, messages: AccountUpdateMessage[]) {
          const settings = readSettings(ctx.connector);
          await databases.write(settings, (tx) => writeAccounts(tx, settings, messages));
        },
        async userDelete(ctx, messages: UserDeleteMessage[]) {
          const settings = readSettings(ctx.connector);
          const ids = messages.map(({ user }) => user.id);
          await databases.write(settings, (tx) => deleteUsers(tx, settings, ids));
        },
        async accountDelete(ctx, messages: AccountDeleteMessage[]) {
          const settings = readSettings(ctx.connector);
          const ids = messages.map(({ account }) => account.id);
          await databases.write(settings, (tx) => deleteAccounts(tx, settings, ids));
        },
        async segmentUpdate(ctx, messages: SegmentRecord[]) {
          const settings = readSettings(ctx.connector);
          await databases.write(settings, (tx) => writeSegments(tx, settings, messages));
        },
        async segmentDelete(ctx, messages: SegmentRecord[]) {
          const settings = readSettings(ctx.connector);
          const ids = messages.map(({ id }) => id);
          await databases.write(settings, (tx) => deleteSegments(tx, settings, ids));
        },
        // Subscribed to so that new settings are in force at once.
        shipUpdate: () => {},
      },
      statuses: { status: (ctx) => status(ctx, databases) },
    },
    ...options,
  });
}

async function status({ connector }: Context, databases: Databases): Promise<StatusAnswer> {
  try {
    await databases.write(readSettings(connector), async (tx) => void (await tx.query("select 1")));
    return { status: "ok", messages: [] };
  } catch (error) {
    const isUnset = error instanceof ConfigurationError && !connector.private_settings.connection_string;
    return { status: isUnset ? "setupRequired" : "error", messages: [(error as Error).message] };
  }
}
