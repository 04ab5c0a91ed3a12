import type { Context, IncomingRequest } from "@muster/connector";
import type { SubjectRecord, UserUpdateMessage } from "@muster/protocol";
import { type AttributeDifference, type Preview, previewFor } from "./preview.js";
import { previewSubject } from "./preview-subject.js";
import { scriptFor } from "./process.js";

const MOST_SUBJECTS = 50;
const EVENTS_OF_ALL = 500;
const EXAMPLES = 5;
/** After this time no further subject is tried, because the connector has other work. */
const LONGEST_MS = 5_000;

/** What a script would do for one of the users or accounts. */
interface Tried {
  id: string;
  name: string;
  run: Preview;
}

/**
 * Runs a script for up to fifty users or accounts, of a segment or of all, and sums up what it would do. Performs
 * nothing.
 */
export async function tryOnMany(ctx: Context, { body }: IncomingRequest): Promise<unknown> {
  const given = body as { entity?: unknown; segment_id?: unknown; code?: unknown };
  const subjectType = given.entity === "account" ? "account" : "user";
  const code = typeof given.code === "string" ? given.code : scriptFor(ctx, subjectType);
  const query = typeof given.segment_id === "string" ? { term: { segment_ids: given.segment_id } } : { match_all: {} };
  const { data: reports } = await ctx.client.post<{ data: SubjectRecord[] }>(`/search/${subjectType}_reports`, {
    query,
    per_page: MOST_SUBJECTS,
  });
  const events = subjectType === "user" ? await eventsOf(ctx, reports) : new Map<string, UserUpdateMessage["events"]>();
  const startedAt = performance.now();
  const tried: Tried[] = [];
  for (const report of reports) {
    if (performance.now() - startedAt > LONGEST_MS) break;
    const subject = previewSubject(ctx, subjectType, report, events.get(report.id) ?? []);
    tried.push({ id: report.id, name: nameOf(report), run: await previewFor(ctx, subject, code) });
  }
  return { ...summarise(tried), found: reports.length, time_ms: performance.now() - startedAt };
}

async function eventsOf(
  ctx: Context,
  reports: readonly SubjectRecord[],
): Promise<Map<string, UserUpdateMessage["events"]>> {
  if (reports.length === 0) return new Map();
  const { data } = await ctx.client.post<{ data: UserUpdateMessage["events"] }>("/search/events", {
    query: { terms: { user_id: reports.map(({ id }) => id) } },
    per_page: EVENTS_OF_ALL,
  });
  const groups = new Map<string, UserUpdateMessage["events"]>();
  for (const event of data) groups.set(String(event.user_id), [...(groups.get(String(event.user_id)) ?? []), event]);
  return groups;
}

function summarise(tried: readonly Tried[]) {
  const attributes = new Map<string, { count: number; examples: (Omit<AttributeDifference, "attribute"> & Named)[] }>();
  const events = new Map<string, { count: number; subjects: Set<string> }>();
  const errors = new Map<string, { error: string; line: number | null; count: number; examples: Named[] }>();
  for (const { id, name, run } of tried) {
    for (const { attribute, before, after } of run.differences) {
      const { count, examples } = attributes.get(attribute) ?? { count: 0, examples: [] };
      if (examples.length < EXAMPLES) examples.push({ id, name, before, after });
      attributes.set(attribute, { count: count + 1, examples });
    }
    for (const problem of run.error === null ? run.problems : [run.error]) {
      const key = `${run.line} ${problem}`;
      const { count, examples } = errors.get(key) ?? { count: 0, examples: [] as Named[] };
      if (examples.length < EXAMPLES) examples.push({ id, name });
      errors.set(key, { error: problem, line: run.error === null ? null : run.line, count: count + 1, examples });
    }
    if (run.error !== null) continue;
    for (const action of run.actions) {
      if (action.kind !== "track") continue;
      const { count, subjects } = events.get(action.event) ?? { count: 0, subjects: new Set<string>() };
      events.set(action.event, { count: count + 1, subjects: subjects.add(id) });
    }
  }
  return {
    tried: tried.length,
    changed: tried.filter(({ run }) => run.error === null && run.actions.length > 0).length,
    failed: tried.filter(({ run }) => run.error !== null).length,
    attributes: [...attributes].map(([attribute, found]) => ({ attribute, ...found })),
    events: [...events].map(([event, { count, subjects }]) => ({ event, count, subjects: subjects.size })),
    errors: [...errors.values()],
  };
}

interface Named {
  id: string;
  name: string;
}

function nameOf(report: SubjectRecord): string {
  const names = [report.name, report.email, report.domain, report.external_id];
  return String(names.find((name) => typeof name === "string" && name !== "") ?? report.id);
}
