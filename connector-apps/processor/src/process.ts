import { type Context, type Report, type StatusAnswer, TransientError } from "@muster/connector";
import {
  type AccountUpdateMessage,
  type SubjectType,
  type UserUpdateMessage,
  withoutUserAttributePrefix,
} from "@muster/protocol";
import { performActions } from "@muster/sandbox";
import { runFor } from "./run-for.js";
import { EVENT_SOURCE, settleActions } from "./settle-actions.js";
import { accountSubject, type ScriptSubject, userSubject } from "./subject.js";

// Longer than a change by the script takes to come back in a message.
const REMEMBER_MS = 600_000;
const NOT_CHOSEN: Report = { result: "skipped", reason: "It is not in the chosen segments." };

export async function processUsers(ctx: Context, messages: UserUpdateMessage[]): Promise<void> {
  for (const message of messages) {
    if (!ctx.isBatch && !message.matchesFilter) {
      ctx.report(message, NOT_CHOSEN);
    } else if (!ctx.isBatch && (await isOwnEcho(ctx, message))) {
      ctx.report(message, { result: "skipped", reason: "The script itself made this change." });
    } else {
      ctx.report(message, await processSubject(ctx, userSubject(message), message.message_id));
    }
  }
}

export async function processAccounts(ctx: Context, messages: AccountUpdateMessage[]): Promise<void> {
  for (const message of messages) {
    const isChosen = ctx.isBatch || message.matchesFilter;
    const report = isChosen ? await processSubject(ctx, accountSubject(message), message.message_id) : NOT_CHOSEN;
    ctx.report(message, report);
  }
}

export function status(ctx: Context): StatusAnswer {
  if (scriptFor(ctx, "user") !== "" || scriptFor(ctx, "account") !== "") return { status: "ok", messages: [] };
  return { status: "warning", messages: ["There is no script, so nothing is computed."] };
}

/** The script for users or accounts in the settings; empty when there is none. */
export function scriptFor({ connector }: Context, subjectType: SubjectType): string {
  const code = connector.private_settings[`${subjectType}_code`];
  return typeof code === "string" && code.trim() !== "" ? code : "";
}

async function processSubject(ctx: Context, subject: ScriptSubject, messageId: string): Promise<Report> {
  const code = scriptFor(ctx, subject.subjectType);
  if (code === "") return { result: "skipped", reason: `There is no script for ${subject.subjectType}s.` };
  const { actions: asked, error } = await runFor(ctx, code, subject.input);
  // A failed script performs no action, because a partial result would be hard to understand.
  if (error !== undefined) return settled(ctx, subject, [error]);
  const { actions, written, problems } = settleActions(subject, asked, messageId);
  await ctx.cache.set(writtenKey(subject.id), written, REMEMBER_MS);
  const { refused } = await performActions(ctx.client, actions, subject.own).catch((cause: unknown) => {
    throw new TransientError("Muster cannot accept the result of the script at the moment.", { cause });
  });
  return settled(ctx, subject, [...problems, ...refused]);
}

/** Whether the message contains nothing but changes and events that the script made for this user. */
async function isOwnEcho(ctx: Context, { user, changes, events }: UserUpdateMessage): Promise<boolean> {
  const { entered, left } = changes.segments;
  const changed = Object.keys(changes.user).map(withoutUserAttributePrefix);
  const hasOtherChanges = changes.is_new || entered.length + left.length > 0 || Object.keys(changes.account).length > 0;
  if (hasOtherChanges || changed.length + events.length === 0) return false;
  if (events.some(({ event_source }) => event_source !== EVENT_SOURCE)) return false;
  if (changed.length === 0) return true;
  const written = new Set(await ctx.cache.get<string[]>(writtenKey(user.id)));
  return changed.every((name) => written.has(name));
}

function writtenKey(id: string): string {
  return `written:${id}`;
}

/** What became of the message: a problem of the script is logged, and the message counts as refused. */
function settled(ctx: Context, { subjectType, id }: ScriptSubject, problems: readonly string[]): Report {
  const [first] = problems;
  if (first === undefined) return { result: "accepted" };
  const reason = `The script for ${subjectType}s: ${first}`;
  const scoped = subjectType === "user" ? ctx.client.asUser({ id }) : ctx.client.asAccount({ id });
  scoped.logger.error("processor.error", { problems, hull_summary: reason });
  return { result: "refused", reason, ...(problems.length > 1 ? { body: problems.join("\n") } : {}) };
}
