import { DAY_MS } from "@muster/protocol";
import { ATTENTION_KINDS, type AttentionItem, type ConnectorState } from "@muster/protocol/api/overview";
import type { Problem } from "@muster/protocol/api/status";
import type { Problems } from "../pipeline/problems.js";
import type { Database } from "../storage/postgres/database.js";
import { countWaitingNames } from "../storage/postgres/definitions/new-names.js";
import { countWaitingRejected } from "../storage/postgres/ingest/rejected-entries.js";
import { listFailedJobs } from "../storage/postgres/jobs/jobs.js";

export interface AttentionOptions {
  database: Database;
  problems: Pick<Problems, "list">;
}

/** The count of rejected entries stops here: counting more takes longer, and the member's task stays the same. */
const MAX_COUNTED = 10_000;
const FAILED_JOBS_MS = DAY_MS;
const MAX_JOBS = 20;

/** What a member should look at, the worst first. */
export async function listAttention(
  { database, problems }: AttentionOptions,
  organizationId: string,
  connectors: readonly ConnectorState[],
  { now, isComplete }: { now: Date; isComplete: boolean },
): Promise<AttentionItem[]> {
  const [broken, rejected, failedJobs, waiting] = await Promise.all([
    problems.list(organizationId),
    countWaitingRejected(database, organizationId, MAX_COUNTED + 1),
    listFailedJobs(database, organizationId, new Date(now.getTime() - FAILED_JOBS_MS), MAX_JOBS),
    countWaitingNames(database, organizationId),
  ]);
  const items = [
    ...broken.map(ofProblem),
    ...(isComplete ? [] : [FILLING]),
    ...connectors.filter(({ enabled }) => enabled).flatMap(ofConnector),
    // Also of a disabled connector: messages that it held for too long.
    ...connectors.flatMap(ofDeadLetters),
    ...(rejected > 0 ? [ofRejected(rejected)] : []),
    ...ofWaitingNames(waiting),
    ...failedJobs.map(
      ({ id, name, error }): AttentionItem => ({
        kind: "job",
        severity: "warning",
        message: `${name} failed${error ? `: ${error}` : "."}`,
        count: 1,
        ids: [id],
      }),
    ),
  ];
  return items.sort((one, other) => placeOf(one) - placeOf(other));
}

const FILLING: AttentionItem = {
  kind: "engine",
  severity: "warning",
  message: "The question engine is being filled again. Until it is done, searches and counts miss some of the data.",
  count: 1,
  ids: [],
};

function ofProblem({ kind, id, name, message }: Problem): AttentionItem {
  const what = kind === "stage" ? `The ${name} stage fails` : `The segment ${name} cannot be evaluated`;
  return { kind, severity: "error", message: `${what}: ${message}`, count: 1, ids: [id] };
}

function ofConnector({ id, name, status, messages, circuit, last_error }: ConnectorState): AttentionItem[] {
  const item = (kind: AttentionItem["kind"], severity: AttentionItem["severity"], message: string): AttentionItem => {
    return { kind, severity, message, count: 1, ids: [id] };
  };
  const said = messages.length > 0 ? `: ${messages.join(" ")}` : ".";
  return [
    ...(status === "error" ? [item("connector", "error", `${name} reports an error${said}`)] : []),
    ...(status === "warning" ? [item("connector", "warning", `${name} reports a warning${said}`)] : []),
    ...(status === "setupRequired" ? [item("setup", "warning", `${name} must be set up${said}`)] : []),
    ...(circuit === "closed"
      ? []
      : [item("delivery", "error", `Calls to ${name} fail${last_error ? `: ${last_error}` : "."}`)]),
  ];
}

/** An error while the connector's last call failed, so that a connector which the dashboard shows as red is not called healthy. */
function ofDeadLetters({ id, name, enabled, dead_letters: count, last_error }: ConnectorState): AttentionItem[] {
  if (count === 0) return [];
  const message = `${messagesText(count)} to ${name} could not be delivered.`;
  const severity = enabled && last_error !== null ? "error" : "warning";
  return [{ kind: "dead_letters", severity, message, count, ids: [id] }];
}

function ofRejected(found: number): AttentionItem {
  const count = Math.min(found, MAX_COUNTED);
  const many = found > MAX_COUNTED ? `More than ${numberText(MAX_COUNTED)} records were` : recordsText(count);
  return {
    kind: "rejected",
    severity: "warning",
    message: `${many} accepted and could not be applied.`,
    count,
    ids: [],
  };
}

/** Names of end users that wait for a member. */
function ofWaitingNames({ attributes, events }: { attributes: number; events: number }): AttentionItem[] {
  const item = (count: number, id: string, message: string): AttentionItem[] =>
    count === 0 ? [] : [{ kind: "new_names", severity: "warning", message, count, ids: [id] }];
  const many = (count: number, noun: string) => (count === 1 ? `1 ${noun}` : `${numberText(count)} ${noun}s`);
  return [
    ...item(
      attributes,
      "attributes",
      `Pages send ${many(attributes, "new attribute")} that ${attributes === 1 ? "is" : "are"} refused: they have defined as many as they may today.`,
    ),
    ...item(
      events,
      "events",
      `Pages send ${many(events, "new event name")} that no list shows yet: they have defined as many as they may today. The events are stored.`,
    ),
  ];
}

function messagesText(count: number): string {
  return count === 1 ? "1 message" : `${numberText(count)} messages`;
}

function recordsText(count: number): string {
  return count === 1 ? "1 record was" : `${numberText(count)} records were`;
}

function numberText(count: number): string {
  return count.toLocaleString("en");
}

function placeOf({ kind, severity }: AttentionItem): number {
  return (severity === "error" ? 0 : ATTENTION_KINDS.length) + ATTENTION_KINDS.indexOf(kind);
}
