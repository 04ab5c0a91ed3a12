import { type Context, type IncomingRequest, reply, view } from "@muster/connector";
import type { SubjectRecord, SubjectType, UserUpdateMessage } from "@muster/protocol";
import type { SandboxAction } from "@muster/sandbox";
import { previewSubject } from "./preview-subject.js";
import { scriptFor } from "./process.js";
import { runFor } from "./run-for.js";
import { settleActions } from "./settle-actions.js";
import type { ScriptSubject } from "./subject.js";

const IDENTIFIERS = { user: ["id", "external_id", "email"], account: ["id", "external_id", "domain"] };
const EVENTS = 10;

/** An attribute that a script would set, with the value that it has now. */
export interface AttributeDifference {
  attribute: string;
  before: unknown;
  after: unknown;
}

/** What a script would do for one user or account. */
export interface Preview {
  actions: SandboxAction[];
  differences: AttributeDifference[];
  problems: string[];
  logs: string[];
  error: string | null;
  line: number | null;
  time_ms: number;
}

/** Runs a script for a real user or account and returns its actions without performing them. */
export async function preview(ctx: Context, { body }: IncomingRequest): Promise<unknown> {
  const { entity, identifier, code } = body as { entity?: unknown; identifier?: unknown; code?: unknown };
  const subjectType = entity === "account" ? "account" : "user";
  const report = await findReport(ctx, subjectType, String(identifier ?? ""));
  if (!report) return reply(404, { error: `There is no ${subjectType} "${identifier}".` });
  const events = subjectType === "user" ? await latestEvents(ctx, report.id) : [];
  const subject = previewSubject(ctx, subjectType, report, events);
  const script = typeof code === "string" ? code : scriptFor(ctx, subjectType);
  return { [subjectType]: report, ...(await previewFor(ctx, subject, script)) };
}

/** Runs a script for a subject. A failed script performs nothing, so the actions before its error are not differences. */
export async function previewFor(ctx: Context, subject: ScriptSubject, code: string): Promise<Preview> {
  const { actions: asked, logs, error, line, timeMs } = await runFor(ctx, code, subject.input);
  const { actions, problems } = settleActions(subject, asked, "preview");
  const own = error === undefined ? actions.filter(({ subject: { user, account } }) => !user && !account) : [];
  const after = Object.assign({}, ...own.map((action) => (action.kind === "traits" ? action.attributes : {})));
  const differences = Object.entries(after as Record<string, unknown>).map(([attribute, value]) => ({
    attribute,
    before: subject.attributes[attribute] ?? null,
    after: value,
  }));
  return { actions, differences, problems, logs, error: error ?? null, line: line ?? null, time_ms: timeMs };
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

async function latestEvents(ctx: Context, userId: string): Promise<UserUpdateMessage["events"]> {
  const { data } = await ctx.client.post<{ data: UserUpdateMessage["events"] }>("/search/events", {
    query: { term: { user_id: userId } },
    per_page: EVENTS,
  });
  return data;
}
