import { type Context, type IncomingRequest, reply, view } from "@muster/connector";
import type { AccountUpdateMessage, SubjectRecord, SubjectType, UserUpdateMessage } from "@muster/protocol";
import { runScript } from "@muster/sandbox";
import { scriptFor } from "./process.js";
import { settleActions } from "./settle-actions.js";
import { accountSubject, type ScriptSubject, userSubject } from "./subject.js";

const NOBODY_MOVED = { entered: [], left: [] };
const IDENTIFIERS = { user: ["id", "external_id", "email"], account: ["id", "external_id", "domain"] };

/** Runs a script for a real user or account and returns its actions without performing them. */
export async function preview(ctx: Context, { body }: IncomingRequest): Promise<unknown> {
  const { entity, identifier, code } = body as { entity?: unknown; identifier?: unknown; code?: unknown };
  const subjectType = entity === "account" ? "account" : "user";
  const report = await findReport(ctx, subjectType, String(identifier ?? ""));
  if (!report) return reply(404, { error: `There is no ${subjectType} "${identifier}".` });
  const subject = subjectType === "user" ? await previewUser(ctx, report) : previewAccount(ctx, report);
  const run = await runScript(typeof code === "string" ? code : scriptFor(ctx, subjectType), subject.input);
  const { actions, problems } = settleActions(subject, run.actions, "preview");
  return { [subjectType]: report, actions, problems, logs: run.logs, error: run.error ?? null };
}

export function editor(ctx: Context): unknown {
  const previewUrl = `preview?token=${encodeURIComponent(ctx.token ?? "")}`;
  return view("editor.html", { previewUrl, code: scriptFor(ctx, "user") });
}

async function findReport(ctx: Context, subjectType: SubjectType, value: string): Promise<SubjectRecord | undefined> {
  const should = IDENTIFIERS[subjectType].map((name) => ({ term: { [name]: value } }));
  const { data } = await ctx.client.post<{ data: SubjectRecord[] }>(`/search/${subjectType}_reports`, {
    query: { bool: { should, minimum_should_match: 1 } },
    per_page: 1,
  });
  return data[0];
}

async function previewUser(ctx: Context, report: SubjectRecord): Promise<ScriptSubject> {
  const { account = {}, segment_ids: ids, ...user } = report as SubjectRecord & { account?: Record<string, unknown> };
  const { data } = await ctx.client.post<{ data: UserUpdateMessage["events"] }>("/search/events", {
    query: { term: { user_id: report.id } },
    per_page: 10,
  });
  const segments = ctx.segments.filter(({ id }) => Array.isArray(ids) && ids.includes(id));
  const changes = { is_new: false, user: {}, account: {}, segments: NOBODY_MOVED, account_segments: NOBODY_MOVED };
  return userSubject({
    message_id: "preview",
    user,
    account,
    segments,
    segment_ids: segments.map(({ id }) => id),
    account_segments: [],
    account_segment_ids: [],
    changes,
    events: data,
    matchesFilter: true,
  });
}

function previewAccount(ctx: Context, report: SubjectRecord): ScriptSubject {
  const { segment_ids: ids, ...account } = report;
  const segments = ctx.accountsSegments.filter(({ id }) => Array.isArray(ids) && ids.includes(id));
  const message: AccountUpdateMessage = {
    message_id: "preview",
    account,
    account_segments: segments,
    account_segment_ids: segments.map(({ id }) => id),
    changes: { is_new: false, account: {}, account_segments: NOBODY_MOVED },
    matchesFilter: true,
  };
  return accountSubject(message);
}
