import { setTimeout as sleep } from "node:timers/promises";
import { parse, parseSort } from "@muster/query";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { type Job, subjectTypeOf } from "../../domain/jobs/job.js";
import { readDeliveryFigures } from "../../storage/postgres/delivery/delivery-states.js";
import { countProfiles, profileIdsAfter } from "../../storage/postgres/profiles/profile-ids.js";
import type { Selection } from "../../storage/questions/asking.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";
import { type QueueSnapshotsOptions, queueSnapshots } from "./queue-snapshots.js";

/** The request for an export, as its job stores it. */
export interface ExportParameters {
  connectorId: string;
  /** Null: all users or accounts, unless there is a query. */
  segmentId: string | null;
  /** Selects whom to export, instead of a segment. */
  query?: Record<string, unknown> | undefined;
}

export type ExportJobOptions = QueueSnapshotsOptions;

/** Where an export goes on: the last id, or the place in the answer to its query. */
type Place = { after?: string; cursor?: unknown };

const PAGE_SIZE = 500;
/** An export leaves the rest of the queue to other messages, which must not wait behind a whole export. */
const MAX_QUEUED = 2_000;
const LOOK_AGAIN_MS = 500;

/**
 * Queues messages about the members of a segment, about those that a query selects, or about everybody, for a connector: page by page, as fast as it
 * takes them.
 */
export function createExport(options: ExportJobOptions): JobHandler {
  return {
    async run(run) {
      // Every export is scheduled with these parameters.
      const parameters = run.job.parameters as ExportParameters;
      // Only this module saves the checkpoint.
      let place = run.job.checkpoint as Place;
      let { processed } = run.job.progress;
      const total = await countSubjects(options, run.job, parameters);
      for (;;) {
        await waitForRoom(options, parameters, run.signal);
        const { ids, next } = await nextPage(options, run.job, parameters, place);
        if (ids.length === 0) return { result: { processed } };
        await sendPage(options, run.job, parameters, ids);
        place = next;
        processed += ids.length;
        await saveProgress(run, processed, Math.max(total, processed), place);
      }
    },
    discard: async () => {},
    leave: async () => {},
  };
}

async function sendPage(
  options: ExportJobOptions,
  { id: jobId, object }: Job,
  { connectorId }: ExportParameters,
  ids: readonly string[],
): Promise<void> {
  const listed = options.directory.find(connectorId);
  if (!listed) throw new JobFailure("The connector was removed.");
  await queueSnapshots(options, listed, subjectTypeOf(object), ids, jobId);
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

async function nextPage(
  options: ExportJobOptions,
  job: Job,
  { segmentId, query }: ExportParameters,
  { after = "", cursor }: Place,
): Promise<{ ids: string[]; next: Place }> {
  const { database, questions } = options;
  const { organizationId, object } = job;
  if (query) {
    const page = { sort: parseSort({ id: "asc" }, { target: subjectTypeOf(object) }), limit: PAGE_SIZE };
    const rows = await questions.page(organizationId, await selectionOf(options, job, query), {
      ...page,
      ...(cursor === undefined ? {} : { searchAfter: cursor }),
    });
    return { ids: rows.map(({ id }) => id), next: { cursor: rows.at(-1)?.cursor } };
  }
  const ids =
    segmentId === null
      ? await profileIdsAfter(database, subjectTypeOf(object), organizationId, after, PAGE_SIZE)
      : await questions.membersAfter(organizationId, segmentId, after, PAGE_SIZE);
  return { ids, next: { after: ids.at(-1) ?? after } };
}

async function countSubjects(
  options: ExportJobOptions,
  job: Job,
  { segmentId, query }: ExportParameters,
): Promise<number> {
  const { database, questions } = options;
  const { organizationId, object } = job;
  if (query) return questions.count(organizationId, await selectionOf(options, job, query));
  if (segmentId === null) return countProfiles(database, subjectTypeOf(object), organizationId);
  return (await questions.segmentSizes(organizationId, [segmentId])).get(segmentId) ?? 0;
}

async function selectionOf(
  { database }: ExportJobOptions,
  { organizationId, object, startedAt, createdAt }: Job,
  query: Record<string, unknown>,
): Promise<Selection> {
  const target = subjectTypeOf(object);
  return {
    target,
    query: parse(query, { target }),
    attributeTypes: await loadAttributeTypes(database, organizationId),
    // All pages show the same moment.
    now: startedAt ?? createdAt,
  };
}

function saveProgress({ job, save }: JobRun, processed: number, total: number, place: Place): Promise<void> {
  return save({ ...job.progress, processed, total }, place);
}
