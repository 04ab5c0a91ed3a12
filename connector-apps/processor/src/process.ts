import { type Context, type StatusAnswer, TransientError } from "@muster/connector";
import { type AccountUpdateMessage, type UserUpdateMessage, withoutUserAttributePrefix } from "@muster/protocol";
import { performActions, runScript } from "@muster/sandbox";
import { EVENT_SOURCE, settleActions } from "./settle-actions.js";
import { accountSubject, type ScriptSubject, userSubject } from "./subject.js";

// Longer than what the script did takes to come back as news.
const REMEMBER_MS = 600_000;

export async function processUsers(ctx: Context, messages: UserUpdateMessage[]): Promise<void> {
  for (const message of messages) {
    if (!ctx.isBatch && (!message.matchesFilter || (await isOwnEcho(ctx, message)))) continue;
    await processSubject(ctx, userSubject(message), message.message_id);
  }
}

export async function processAccounts(ctx: Context, messages: AccountUpdateMessage[]): Promise<void> {
  for (const message of messages) {
    if (!ctx.isBatch && !message.matchesFilter) continue;
    await processSubject(ctx, accountSubject(message), message.message_id);
  }
}

export function status(ctx: Context): StatusAnswer {
  if (scriptFor(ctx, "user") !== "" || scriptFor(ctx, "account") !== "") return { status: "ok", messages: [] };
  return { status: "warning", messages: ["There is no script, so nothing is computed."] };
}

/** The script that the settings hold for users or accounts; empty when there is none. */
export function scriptFor({ connector }: Context, kind: ScriptSubject["kind"]): string {
  const code = connector.private_settings[`${kind}_code`];
  return typeof code === "string" && code.trim() !== "" ? code : "";
}

async function processSubject(ctx: Context, subject: ScriptSubject, messageId: string): Promise<void> {
  const code = scriptFor(ctx, subject.kind);
  if (code === "") return;
  const { actions: asked, error } = await runScript(code, subject.input);
  // Half of a script's work would be hard to make sense of: an error means that nothing is done.
  if (error !== undefined) return report(ctx, subject, [error]);
  const { actions, written, problems } = settleActions(subject, asked, messageId);
  await ctx.cache.set(writtenKey(subject.id), written, REMEMBER_MS);
  const { refused } = await performActions(ctx.client, actions, subject.own).catch((cause: unknown) => {
    throw new TransientError("Muster cannot take what was computed for now.", { cause });
  });
  report(ctx, subject, [...problems, ...refused]);
}

/** Whether the news is nothing but what the script itself did for this user. */
async function isOwnEcho(ctx: Context, { user, changes, events }: UserUpdateMessage): Promise<boolean> {
  const { entered, left } = changes.segments;
  const changed = Object.keys(changes.user).map(withoutUserAttributePrefix);
  const isSilent = changes.is_new || entered.length + left.length > 0 || Object.keys(changes.account).length > 0;
  if (isSilent || changed.length + events.length === 0) return false;
  if (events.some(({ event_source }) => event_source !== EVENT_SOURCE)) return false;
  if (changed.length === 0) return true;
  const written = new Set(await ctx.cache.get<string[]>(writtenKey(user.id)));
  return changed.every((name) => written.has(name));
}

function writtenKey(id: string): string {
  return `written:${id}`;
}

function report(ctx: Context, { kind, id }: ScriptSubject, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const scoped = kind === "user" ? ctx.client.asUser({ id }) : ctx.client.asAccount({ id });
  scoped.logger.error("processor.error", { problems, hull_summary: `The script for ${kind}s: ${problems[0]}` });
}
