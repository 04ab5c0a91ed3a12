import type { Logger } from "pino";
import type { LanePositions } from "../domain/entries/lanes.js";
import { Loop } from "../runtime/loop.js";
import { Loops } from "../runtime/loops.js";
import type { Metrics } from "../runtime/metrics.js";
import type { Database } from "../storage/postgres/database.js";
import type { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import { backlogs } from "../storage/postgres/ingest/apply-cursors.js";
import { isOrganizationDeleted } from "../storage/postgres/objects/organizations.js";
import type { Questions } from "../storage/questions/questions.js";
import { Backlog, type BacklogOptions } from "./accept/backlog.js";
import { BatchBuffer } from "./accept/batch-buffer.js";
import { Intake, type IntakeOptions } from "./accept/intake.js";
import { Applier } from "./apply/applier.js";
import type { ApplyOptions } from "./apply/apply.js";
import { findMissing, findWork } from "./find-work.js";
import type { NotifyOptions } from "./notify/notify.js";
import { ChangeBuffer } from "./project/change-buffer.js";
import { Projector } from "./project/projector.js";
import { RecentEntries } from "./recent-entries.js";
import { SearchablePositions } from "./searchable-positions.js";
import { type Stage, StageProblems } from "./stage-problems.js";
import type { StepResult } from "./step-result.js";

export interface PipelineOptions {
  database: Database;
  questions: Questions;
  metrics: Metrics;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
  accept: Pick<IntakeOptions, "brand"> & Pick<BacklogOptions, "maxBacklogEntries" | "disk">;
  apply: Pick<ApplyOptions, "rules" | "bulkEvery">;
  notify: Pick<NotifyOptions, "directory" | "onQueued">;
  /** The longest time that a reader waits for a position. */
  waitLimitMs: number;
}

// How soon work is found that this process was not woken for.
const LOOK_EVERY_MS = 10_000;

/**
 * The journey of a record. Accept, apply and project can stop, restart or run in another process; each goes on from its
 * cursor.
 *
 *   accept    accept/intake.ts      checks each entry, appends the batch to the ingestion log, answers
 *   apply     apply/apply.ts        changes users and accounts and appends to the change log, in one transaction
 *   project   project/project.ts    writes the changes to the question engine, then for the same changes:
 *     evaluate  evaluate/evaluate.ts  finds which segments the touched subjects entered or left
 *     notify    notify/notify.ts      queues messages for connectors, which deliveries/ sends
 *
 * The project stage also brings the question engine up to date when it lacks something (project/catch-up.ts), and
 * re-evaluates segments that were edited or that change with time (evaluate/sweep.ts).
 */
export class Pipeline {
  readonly intake: Intake;
  readonly recent = new RecentEntries();
  readonly #options: PipelineOptions;
  readonly #batchBuffer = new BatchBuffer();
  readonly #problems: StageProblems;
  readonly #projector: Projector;
  readonly #positions: SearchablePositions;
  readonly #apply: Loops;
  readonly #project: Loops;
  readonly #look: Loop;

  constructor(options: PipelineOptions) {
    const { database, questions, metrics, lags, logger, accept, apply, notify, waitLimitMs } = options;
    const { maxAttributes } = apply.rules;
    const { maxBacklogEntries, disk, brand } = accept;
    const batchBuffer = this.#batchBuffer;
    const changeBuffer = new ChangeBuffer();
    const { recent } = this;
    this.#options = options;
    this.#problems = new StageProblems({ database, metrics, logger });
    this.intake = new Intake({
      database,
      brand,
      metrics,
      backlog: new Backlog({ database, metrics, maxBacklogEntries, disk }),
      batchBuffer,
      recent,
      onAppended: (organizationId) => this.#apply.wake(organizationId),
    });
    const applying = { apply: { database, ...apply, batchBuffer }, metrics, lags, logger, changeBuffer, recent };
    const applier = new Applier(applying);
    this.#projector = new Projector({
      database,
      questions,
      maxAttributes,
      changeBuffer,
      lags,
      notify: { database, questions, maxAttributes, ...notify },
      logger,
    });
    this.#positions = new SearchablePositions({ database, questions, waitLimitMs });
    this.#apply = this.#stage("apply", applier, (organizationId) => this.#project.wake(organizationId));
    this.#project = this.#stage("project", this.#projector, (organizationId) =>
      this.#positions.announce(organizationId),
    );
    this.#look = new Loop({
      step: async () => {
        await this.#wakeForWork();
        await this.#measureBacklogs();
        return LOOK_EVERY_MS;
      },
      onError: (error) => logger.error({ err: error }, "looking for work failed"),
    });
  }

  /** Starts to apply and project. A process that does not start the pipeline only accepts. */
  async start(): Promise<void> {
    const { database, questions } = this.#options;
    this.#batchBuffer.open();
    this.#apply.start();
    this.#project.start();
    for (const organizationId of await findMissing(database, questions)) this.#project.wake(organizationId);
    this.#look.start();
  }

  async stop(): Promise<void> {
    await this.#look.stop();
    await this.intake.drain();
    await this.#apply.stop();
    await this.#project.stop();
    await this.#projector.close();
  }

  /**
   * Checks soon whether the question engine of an organization is up to date: it may be new, or a rebuild was
   * requested.
   */
  catchUpSoon(organizationId: string): void {
    this.#projector.requestCatchUp(organizationId);
    this.#project.wake(organizationId);
  }

  /**
   * Re-evaluates soon the segments of an organization that need it: created, edited, deleted or time-dependent ones.
   */
  sweepSoon(organizationId: string): void {
    this.#projector.requestSweep(organizationId);
    this.#project.wake(organizationId);
  }

  /** Waits until the records at a position are searchable. */
  async waitFor(organizationId: string, position: LanePositions, abort?: AbortSignal): Promise<void> {
    await this.#positions.waitFor(organizationId, position, abort);
  }

  async #wakeForWork(): Promise<void> {
    const { apply, project, rebuild, sweep } = await findWork(this.#options.database);
    for (const organizationId of apply) this.#apply.wake(organizationId);
    for (const organizationId of project) this.#project.wake(organizationId);
    for (const organizationId of rebuild) this.catchUpSoon(organizationId);
    for (const organizationId of sweep) this.sweepSoon(organizationId);
    for (const { organizationId, stage } of await this.#problems.findOfOthers()) {
      (stage === "apply" ? this.#apply : this.#project).wake(organizationId);
    }
  }

  /** Also without new batches: the backlog that was measured with the last one is soon not true any more. */
  async #measureBacklogs(): Promise<void> {
    const { database, metrics } = this.#options;
    const measured = await backlogs(database);
    metrics.backlog.reset();
    for (const [organization, entries] of measured) metrics.backlog.set({ organization }, entries);
  }

  /** Repeats the steps of a stage, for each organization in a loop of its own. */
  #stage(
    name: Stage,
    worker: { step(organizationId: string): Promise<StepResult> },
    onStep: (organizationId: string) => void,
  ): Loops {
    const { metrics, database } = this.#options;
    const problems = this.#problems;
    return new Loops({
      async step(organizationId) {
        // What it writes would stay behind when the rest of the organization is removed.
        if (await isOrganizationDeleted(database, organizationId)) return false;
        const stopClock = metrics.stageSeconds.startTimer({ stage: name });
        const result = await worker.step(organizationId);
        // Another process has the work, and may have a problem with it.
        if (result !== "waiting") await problems.clear(organizationId, name);
        if (result === "worked") {
          stopClock();
          onStep(organizationId);
        }
        return result !== "idle";
      },
      onError: (error, organizationId) => problems.note(organizationId, name, error),
    });
  }
}
