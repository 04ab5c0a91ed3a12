import { Refusal } from "@muster/protocol";
import type { UndoResult } from "@muster/protocol/api/reverts";
import { parsePosition } from "../../domain/entries/lanes.js";
import type { Job } from "../../domain/jobs/job.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Writer } from "../../domain/revert/former-cell.js";
import { emptyTally, type UndoTally } from "../../domain/revert/undo-tally.js";
import type { ApplyRules } from "../../pipeline/apply/apply-rules.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { storeTakenBack, takePageBack, type UndoPage, type UndoRun } from "../../pipeline/undo/take-back-page.js";
import type { Metrics } from "../../runtime/measures/metrics.js";
import type { WriterRange } from "../../storage/postgres/changes/change-writers.js";
import { lockChangeHead } from "../../storage/postgres/changes/changes.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { readApplyBasis } from "../../storage/postgres/ingest/apply-basis.js";
import { type EngineWait, waitForEngine } from "../rewrite/wait-for-engine.js";
import { JobFailure } from "../runner/job-failure.js";
import type { JobHandler, JobRun } from "../runner/job-handler.js";
import { readSteps } from "./read-steps.js";
import type { RevertParameters } from "./revert-parameters.js";
import { surveyRevert } from "./revert-survey.js";
import { writerOfJob } from "./writer-of-job.js";

export interface RevertJobOptions extends EngineWait {
  metrics: Pick<Metrics, "formulaProblems">;
  pipeline: Pick<Pipeline, "waitFor">;
  applyRules: ApplyRules;
}

/** How far an undo has come: it goes through the changes of the writer from the latest to the first. */
interface RevertCheckpoint {
  /** Changes from this one on are done. */
  before?: number;
  /** So many steps of the change before that are done too. */
  done?: number;
  tally?: UndoTally;
}

// Live records wait while a page is stored, which takes a tenth of a second.
const PAGE_SIZE = 1_000;
// Enough for the question engine to take several pages at once, and too few to keep other work from it.
const MAX_AHEAD = 6;

/** Takes back what a job or a connector wrote, in pages. Each page is one change, stored together with the checkpoint. */
export function createRevert(options: RevertJobOptions): JobHandler {
  return {
    run: (run) => runRevert(run, options),
    discard: async () => {},
    leave: async () => {},
  };
}

async function runRevert(run: JobRun, options: RevertJobOptions) {
  // Every undo is scheduled with these parameters, and only this module saves its checkpoint.
  const job = run.job as Job<RevertParameters, RevertCheckpoint>;
  const { database } = options;
  const { organizationId, parameters } = job;
  const { dryRun, knownSince, job: ofJob } = parameters;
  if (ofJob?.position) await untilApplied(options, organizationId, ofJob.position, run.signal);
  const range = rangeOf(parameters);
  const survey = await surveyRevert(database, organizationId, range, { signal: run.signal, dryRun });
  const writer = writerOf(parameters);
  // The counts of a dry run are not stored, so one that is interrupted begins again.
  const checkpoint = dryRun ? {} : job.checkpoint;
  const tally = checkpoint.tally ?? emptyTally();
  const overlay = new Map<string, Profile | "removed">();
  const undo: UndoRun = {
    rules: options.applyRules,
    tally,
    unlinked: new Map(),
    ...(dryRun ? { overlay: { get: (id) => overlay.get(id), set: keepRepeated(overlay, survey.repeated) } } : {}),
  };
  let processed = dryRun ? 0 : job.progress.processed;
  let skip = checkpoint.done ?? 0;
  let place: RevertCheckpoint = checkpoint;
  /** Changes that the question engine may not have yet. */
  const ahead: number[] = [];
  for await (const { sequence, steps } of readSteps(database, organizationId, range, checkpoint.before)) {
    for (let start = skip; start < steps.length; start += PAGE_SIZE) {
      run.signal.throwIfAborted();
      const some = steps.slice(start, start + PAGE_SIZE);
      const bringsEvents = ofJob?.bringsEvents ?? false;
      const page: UndoPage = { ...survey, steps: some, writer, bringsEvents, source: writerOfJob(job) };
      processed += some.length;
      const progress = { ...job.progress, processed, total: survey.total };
      place = { before: sequence + 1, done: start + some.length, tally };
      if (dryRun) {
        await database.transaction((tx) => countPage(tx, organizationId, page, undo));
        await run.save(progress, {});
        continue;
      }
      const now = await database.transaction(async (tx) => {
        const sequence = await storePage(tx, job, page, undo, options);
        await run.save(progress, place, tx);
        return sequence;
      });
      if (now !== undefined) ahead.push(now);
      options.relaySoon(organizationId);
      if (ahead.length > MAX_AHEAD) await waitForEngine(options, organizationId, ahead.shift()!, run.signal);
    }
    skip = 0;
  }
  const last = ahead.at(-1);
  if (last !== undefined) await waitForEngine(options, organizationId, last, run.signal);
  await run.save({ ...job.progress, processed, total: processed }, { ...place, tally });
  const result: UndoResult = { dry_run: dryRun, ...tally, merges: survey.merges, known_since: knownSince };
  return { result };
}

async function countPage(tx: Transaction, organizationId: string, page: UndoPage, undo: UndoRun): Promise<void> {
  const basis = await readApplyBasis(tx, organizationId);
  if (basis && !basis.isDeleted) await takePageBack(tx, organizationId, page, { ...undo, basis });
}

/**
 * The lock on the change log keeps micro-batches out until the transaction ends, so nothing is written between reading a
 * profile and saving it. Returns the sequence of the change; undefined when nothing has changed.
 */
async function storePage(
  tx: Transaction,
  job: Job<RevertParameters>,
  page: UndoPage,
  undo: UndoRun,
  { metrics }: Pick<RevertJobOptions, "metrics">,
): Promise<number | undefined> {
  const { organizationId, parameters } = job;
  const sequence = (await lockChangeHead(tx, organizationId)) + 1;
  const basis = await readApplyBasis(tx, organizationId);
  if (!basis || basis.isDeleted) throw new JobFailure("The organization is being deleted.");
  const taken = await takePageBack(tx, organizationId, page, { ...undo, unlinked: new Map(), basis });
  const storing = { sequence, basis, rules: undo.rules, metrics, source: page.source, isQuiet: parameters.isQuiet };
  return (await storeTakenBack(tx, organizationId, taken, storing)) ? sequence : undefined;
}

function writerOf({ writer: source, job, range }: RevertParameters): Writer {
  const until = range?.to ?? Number.POSITIVE_INFINITY;
  return { source, until, ...(job?.at == null ? {} : { at: job.at }) };
}

function rangeOf({ writer, range }: RevertParameters): WriterRange {
  return { writer, from: range && new Date(range.from), to: range && new Date(range.to) };
}

function keepRepeated(overlay: Map<string, Profile | "removed">, repeated: ReadonlySet<string>) {
  return (id: string, profile: Profile | "removed") => {
    if (repeated.has(id)) overlay.set(id, profile);
  };
}

/** Records of a canceled import may still be in the log. They are waited for without a limit, as others may come first. */
async function untilApplied(
  { pipeline }: RevertJobOptions,
  organizationId: string,
  position: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await pipeline.waitFor(organizationId, parsePosition(position) ?? {}, signal);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "wait_timeout") throw error;
    }
  }
}
