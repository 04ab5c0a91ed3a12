import { MUSTER_SOURCE, SEGMENT_EVENTS } from "@muster/protocol";
import type { Job } from "@muster/protocol/api/jobs";
import type { Segment } from "@muster/protocol/api/segments";
import { followJob } from "../bulk/job.js";
import { upload } from "../bulk/upload.js";
import { Failure } from "../failure.js";
import { counted } from "../output/counted.js";
import type { Output } from "../output/output.js";
import { type Company, createCompany } from "./company/company.js";
import { isoTime } from "./company/iso-time.js";
import { movesOf } from "./company/moves.js";
import { inChapters, type Story } from "./company/stories.js";
import type { DemoUser } from "./company/users.js";
import { type DemoOrganization, note } from "./demo-organization.js";
import { saveInsights } from "./insights.js";
import { createSegments, OWN_SUFFIX, untilEvaluated } from "./segments.js";
import { labelAttributes, planEvents } from "./words.js";

export interface Filled {
  company: Company;
  segments: Segment[];
  events: number;
  seconds: number;
}

/**
 * Sends the company to the organization, and waits until all of it is searchable and in its segments. What is sent first
 * is imported while the rest is sent.
 */
export async function fillDemo(demo: DemoOrganization, output: Output): Promise<Filled> {
  const startedAt = performance.now();
  const { seed, users, at } = demo.notes;
  output.progress("making up a company");
  const company = createCompany({ seed, users, now: Date.parse(at) });
  const events = eventRecords(company);
  await planEvents(demo);
  const jobs = [
    await startImport(demo, "accounts", company.accounts, output),
    await startImport(
      demo,
      "users",
      company.people.map(({ user }) => user),
      output,
    ),
    await startImport(demo, "events", events, output),
  ];
  await sendStories(demo, company.stories);
  for (const job of jobs) await finishImport(demo, job, output);
  output.progress("filling segments");
  const segments = await createSegments(demo);
  const moves = await startImport(demo, "events", moveRecords(company, segments, Date.parse(at)), output, "moves");
  await untilEvaluated(demo, segments);
  await finishImport(demo, moves, output);
  await saveInsights(demo);
  await labelAttributes(demo);
  await note(demo, { filled: true });
  output.progress("");
  const seconds = (performance.now() - startedAt) / 1_000;
  const storyEvents = company.stories.flatMap(({ entries }) => entries.filter(({ type }) => type === "track"));
  return { company, segments, events: events.length + storyEvents.length, seconds };
}

/** Sends the stories in order, so that the browsers are there before the user who has them. */
async function sendStories({ gateway }: DemoOrganization, stories: readonly Story[]): Promise<void> {
  for (const chapter of inChapters(stories)) {
    const position = await gateway.send(chapter);
    if (position !== undefined) await gateway.waitFor(position);
  }
}

/** An event with the strongest identifier of its user. */
function eventRecords({ people }: Company): object[] {
  return people.flatMap(({ user, events }) => events.map((event) => ({ ...claimOf(user), ...event })));
}

/** What segments would have recorded in the last year, if they had been there. */
function moveRecords({ people, accounts }: Company, segments: readonly Segment[], now: number): object[] {
  const accountOf = new Map(accounts.map((account) => [account.external_id, account]));
  const idOf = new Map(segments.map(({ id, name }) => [name.replace(OWN_SUFFIX, ""), id]));
  return people.flatMap((person) => {
    const { user } = person;
    const claim = claimOf(user);
    return movesOf(person, accountOf.get(user.account?.external_id ?? ""), now).map(({ segment, entered, at }) => ({
      ...claim,
      event: entered ? SEGMENT_EVENTS.entered : SEGMENT_EVENTS.left,
      event_id: `${Object.values(claim)[0]} ${segment} ${at}`,
      source: MUSTER_SOURCE,
      created_at: isoTime(at),
      properties: { segment_id: idOf.get(segment), segment_name: segment },
    }));
  });
}

function claimOf({ external_id, anonymous_ids }: DemoUser): { external_id: string } | { anonymous_id: string } {
  return external_id === undefined ? { anonymous_id: anonymous_ids?.[0] ?? "" } : { external_id };
}

async function startImport(
  { api }: DemoOrganization,
  object: "accounts" | "users" | "events",
  records: readonly object[],
  output: Output,
  name: string = object,
): Promise<Job> {
  output.progress(`sending ${counted(records.length, name)}`);
  const url = await upload(api, inLines(records), () => undefined);
  return api.post<Job>(`/import/${object}`, { url, format: "json", overwrite: true, name: `Demo: ${name}` });
}

async function finishImport({ api }: DemoOrganization, started: Job, output: Output): Promise<void> {
  const { id, object, progress } = await followJob(api, started, output);
  if (progress.rejected === 0) return;
  throw new Failure("refused", `The import of ${object} (job ${id}) refused ${counted(progress.rejected, "records")}.`);
}

const LINES_AT_ONCE = 5_000;

async function* inLines(records: readonly object[]): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < records.length; from += LINES_AT_ONCE) {
    const lines = records.slice(from, from + LINES_AT_ONCE).map((record) => JSON.stringify(record));
    yield Buffer.from(`${lines.join("\n")}\n`);
  }
}
