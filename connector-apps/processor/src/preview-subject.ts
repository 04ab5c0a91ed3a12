import type { Context } from "@muster/connector";
import type { AccountUpdateMessage, SubjectRecord, SubjectType, UserUpdateMessage } from "@muster/protocol";
import { accountSubject, type ScriptSubject, userSubject } from "./subject.js";

const NOBODY_MOVED = { entered: [], left: [] };

/** A subject as the script of a message without changes would get it. */
export function previewSubject(
  ctx: Context,
  subjectType: SubjectType,
  report: SubjectRecord,
  events: UserUpdateMessage["events"],
): ScriptSubject {
  return subjectType === "user" ? previewUser(ctx, report, events) : previewAccount(ctx, report);
}

function previewUser(ctx: Context, report: SubjectRecord, events: UserUpdateMessage["events"]): ScriptSubject {
  const { account = {}, segment_ids: ids, ...user } = report as SubjectRecord & { account?: Record<string, unknown> };
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
    events,
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
