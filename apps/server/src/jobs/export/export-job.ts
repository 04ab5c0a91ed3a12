import { setTimeout as sleep } from "node:timers/promises";
import { loadSubjectStates, type SubjectStatesOptions } from "../../audience/subject-states.js";
import type { ConnectorDirectory } from "../../connectors/connector-directory.js";
import { addressMessages } from "../../deliveries/address-messages.js";
import { snapshotMessages } from "../../domain/delivery/message.js";
import { type Job, subjectTypeOf } from "../../domain/jobs/job.js";
import type { Database } from "../../storage/postgres/database.js";
import { readDeliveryFigures } from "../../storage/postgres/delivery/delivery-states.js";
import { appendToOutbox, lockNotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import { countProfiles, profileIdsAfter } from "../../storage/postgres/profiles/profile-ids.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";

/** The request for an export, as its job stores it. */
export interface ExportParameters {
  connectorId: string;
  /** Null: all users or accounts. */
  segmentId: string | null;
}

export interface ExportJobOptions extends SubjectStatesOptions {
  database: Database;
  directory: ConnectorDirectory;
  /** Called once messages wait in the queues of these connectors. */
  onQueued(connectorIds: Iterable<string>): void;
}

const PAGE_SIZE = 500;
/** An export leaves the rest of the queue to other messages, which must not wait behind a whole export. */
const MAX_QUEUED = 2_000;
const LOOK_AGAIN_MS = 500;

/**
 * Queues messages about the members of a segment, or about everybody, for a connector: page by page, as fast as it
 * takes them.
 */
export function createExport(options: ExportJobOptions): JobHandler {
  return {
    async run(run) {
      // Every export is scheduled with these parameters.
      const parameters = run.job.parameters as ExportParameters;
      let { after = "" } = run.job.checkpoint as { after?: string };
      let { processed } = run.job.progress;
      const total = await countSubjects(options, run.job, parameters);
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
  const subjectType = subjectTypeOf(object);
  const wanted = { user: [], account: [], [subjectType]: ids };
  await options.database.transaction(async (tx) => {
    // No message with a newer state may be queued between the reading of a state and the end of the transaction.
    await lockNotifyCursor(tx, organizationId);
    const { states } = await loadSubjectStates({ ...options, database: tx }, organizationId, wanted);
    const messages = snapshotMessages(subjectType, ids, states, jobId);
    const batches = addressMessages({ channel: `${subjectType}:update`, messages, isExport: true }, [listed]);
    await appendToOutbox(tx, organizationId, batches);
  });
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
    ? profileIdsAfter(database, subjectTypeOf(object), organizationId, after, PAGE_SIZE)
    : questions.membersAfter(organizationId, segmentId, after, PAGE_SIZE);
}

async function countSubjects(
  { database, questions }: ExportJobOptions,
  { organizationId, object }: Job,
  { segmentId }: ExportParameters,
): Promise<number> {
  if (segmentId === null) return countProfiles(database, subjectTypeOf(object), organizationId);
  return (await questions.segmentSizes(organizationId, [segmentId])).get(segmentId) ?? 0;
}

function saveProgress({ job, save }: JobRun, processed: number, total: number, after: string): Promise<void> {
  return save({ ...job.progress, processed, total }, { after });
}
