import { ConfigurationError, type Context, type Report, type StatusAnswer } from "@muster/connector";
import type {
  AccountDeleteMessage,
  AccountUpdateMessage,
  SegmentRecord,
  UserDeleteMessage,
  UserUpdateMessage,
} from "@muster/protocol";
import type { ClientBase } from "pg";
import type { Databases } from "./databases.js";
import { readSettings, type Settings } from "./settings.js";
import { writeEvents } from "./write-events.js";
import { deleteSegments, writeSegments } from "./write-segments.js";
import { deleteSubjects, writeSubjects } from "./write-subjects.js";

const WRITTEN: Report = { result: "accepted" };
const NOT_CHOSEN: Report = { result: "skipped", reason: "The user is not in the chosen segments." };

/** The handlers of the connector's subscriptions. Each writes what it is told in one transaction. */
export function subscriptionHandlers(databases: Databases) {
  const write = ({ connector }: Context, work: (tx: ClientBase, settings: Settings) => Promise<void>) => {
    const settings = readSettings(connector);
    return databases.write(settings, (tx) => work(tx, settings));
  };
  return {
    userUpdate: (ctx: Context, messages: UserUpdateMessage[]) =>
      write(ctx, async (tx, { schema, exportsEvents }) => {
        const wanted = messages.filter(({ matchesFilter }) => matchesFilter);
        const states = wanted.map(({ user, account, segment_ids: segmentIds }) => {
          return { report: user, accountId: account.id, segmentIds };
        });
        await writeSegments(tx, schema, [...ctx.segments, ...ctx.accountsSegments]);
        await writeSubjects(tx, schema, "user", states);
        const events = wanted.flatMap((message) => message.events);
        if (exportsEvents) await writeEvents(tx, schema, events);
      }).then(() => {
        for (const message of messages) ctx.report(message, message.matchesFilter ? WRITTEN : NOT_CHOSEN);
      }),
    accountUpdate: (ctx: Context, messages: AccountUpdateMessage[]) =>
      write(ctx, (tx, { schema }) => {
        const states = messages.map(({ account, account_segment_ids: segmentIds }) => {
          return { report: account, segmentIds };
        });
        return writeSubjects(tx, schema, "account", states);
      }),
    userDelete: (ctx: Context, messages: UserDeleteMessage[]) =>
      write(ctx, (tx, { schema }) => {
        const ids = messages.map(({ user }) => user.id);
        return deleteSubjects(tx, schema, "user", ids);
      }),
    accountDelete: (ctx: Context, messages: AccountDeleteMessage[]) =>
      write(ctx, (tx, { schema }) => {
        const ids = messages.map(({ account }) => account.id);
        return deleteSubjects(tx, schema, "account", ids);
      }),
    segmentUpdate: (ctx: Context, segments: SegmentRecord[]) =>
      write(ctx, (tx, { schema }) => writeSegments(tx, schema, segments)),
    segmentDelete: (ctx: Context, segments: SegmentRecord[]) =>
      write(ctx, (tx, { schema }) => {
        const ids = segments.map(({ id }) => id);
        return deleteSegments(tx, schema, ids);
      }),
    // The subscription makes new settings take effect at once. There is nothing else to do.
    shipUpdate: () => {},
  };
}

/** Whether the settings are complete and the database can be written to. */
export async function status({ connector }: Context, databases: Databases): Promise<StatusAnswer> {
  try {
    await databases.write(readSettings(connector), async (tx) => void (await tx.query("select 1")));
    return { status: "ok", messages: [] };
  } catch (error) {
    const isUnset = error instanceof ConfigurationError && !connector.private_settings.connection_string;
    return { status: isUnset ? "setupRequired" : "error", messages: [(error as Error).message] };
  }
}
