import { setTimeout as sleep } from "node:timers/promises";
import type { SubjectType } from "@muster/protocol";
import { loadSubjectStates, type SubjectStatesOptions } from "../../audience/subject-states.js";
import type { ConnectorDirectory } from "../../connectors/connector-directory.js";
import { addressMessages } from "../../deliveries/address-messages.js";
import { snapshotMessages } from "../../domain/delivery/message.js";
import type { Job } from "../../domain/jobs/job.js";
import { readDeliveryFigures } from "../../storage/postgres/delivery/delivery-states.js";
import { appendToOutbox } from "../../storage/postgres/delivery/outbox.js";
import { countProfiles, profileIdsAfter } from "../../storage/postgres/profiles/profile-ids.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";

/** Whom to tell about whom, as the job stores it. */
export interface ExportParameters {
  connectorId: string;
  /** Everybody when null. */
  segmentId: string | null;
}

export interface ExportJobOptions extends SubjectStatesOptions {
  directory: ConnectorDirectory;
  onQueued(connectorIds: Iterable<string>): void;
}

const PAGE_SIZE = 500;
/** The queue is filled no further than this: a connector takes its time, and news must get in between. */
const MAX_QUEUED = 2_000;
const LOOK_AGAIN_MS = 500;

/** Tells a connector about the members of a segment or about everybody, a page after the other, as fast as it takes them. */
export function createExport(options: ExportJobOptions): JobHandler {
  return {
    async run(run) {
      // Only the route stores parameters, and it stores these.
      const parameters = run.job.parameters as ExportParameters;
      let { after = "" } = run.job.checkpoint as { after?: string };
      let { processed } = run.job.progress;
      const total = await countOf(options, run.job, parameters);
      for (;;) {
        await waitForRoom(options, parameters, run.signal);
        const ids = await nextPage(options, run.job, parameters, after);
        const last = ids.at(-1);
        if (last === undefined) return { result: { processed } };
        await sendPage(options, run.job, parameters, ids);
        after = last;
        processed += ids.length;
        await saveProgress(run, processed, Math.max(total, processed), after);
      }
    },
    discard: async () => {},
  };
}

async function sendPage(
  options: ExportJobOptions,
  { id: jobId, organizationId, object }: Job,
  { connectorId }: ExportParameters,
  ids: readonly string[],
): Promise<void> {
  const listed = options.directory.find(connectorId);
  if (!listed) throw new JobFailure("The connector was removed.");
  const kind = kindOf(object);
  const wanted = { user: kind === "user" ? ids : [], account: kind === "account" ? ids : [] };
  const { states } = await loadSubjectStates(options, organizationId, wanted);
  const messages = snapshotMessages(kind, ids, states, jobId);
  const batches = addressMessages({ channel: `${kind}:update`, messages, isExport: true }, [listed]);
  await appendToOutbox(options.database, organizationId, batches);
  options.onQueued([connectorId]);
}

async function waitForRoom(
  { database }: ExportJobOptions,
  { connectorId }: ExportParameters,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const [figures] = await readDeliveryFigures(database, { connectorId });
    if (!figures || figures.queuedMessages < MAX_QUEUED) return;
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

function nextPage(
  { database, questions }: ExportJobOptions,
  { organizationId, object }: Job,
  { segmentId }: ExportParameters,
  after: string,
): Promise<string[]> {
  return segmentId === null
    ? profileIdsAfter(database, kindOf(object), organizationId, after, PAGE_SIZE)
    : questions.membersAfter(organizationId, segmentId, after, PAGE_SIZE);
}

async function countOf(
  { database, questions }: ExportJobOptions,
  { organizationId, object }: Job,
  { segmentId }: ExportParameters,
): Promise<number> {
  if (segmentId === null) return countProfiles(database, kindOf(object), organizationId);
  return (await questions.segmentSizes(organizationId, [segmentId])).get(segmentId) ?? 0;
}

function saveProgress({ job, save }: JobRun, processed: number, total: number, after: string): Promise<void> {
  return save({ ...job.progress, processed, total }, { after });
}

function kindOf(object: Job["object"]): SubjectType {
  return object === "accounts" ? "account" : "user";
}
