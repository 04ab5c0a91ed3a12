import type { Logger } from "pino";
import type { LanePositions } from "../domain/entries/lanes.js";
import { Loop } from "../runtime/loops/loop.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { Database } from "../storage/postgres/database.js";
import { backlogs } from "../storage/postgres/ingest/apply-cursors.js";
import { saveRejections } from "../storage/postgres/ingest/rejected-entries.js";
import type { WakeUps } from "../storage/postgres/wake-ups.js";
import type { Questions } from "../storage/questions/questions.js";
import { Backlog, type BacklogOptions } from "./accept/backlog.js";
import { Intake, type IntakeOptions } from "./accept/intake.js";
import type { PipelineWork, WorkEvents } from "./pipeline-work.js";
import { RecentEntries } from "./recent-entries.js";
import { SearchablePositions } from "./searchable-positions.js";

export interface PipelineOptions {
  database: Database;
  log: Pick<IngestionLog, "append" | "heads" | "lacks">;
  questions: Pick<Questions, "progress">;
  wakeUps: WakeUps;
  metrics: Metrics;
  logger: Logger;
  accept: Pick<IntakeOptions, "admission"> & Pick<BacklogOptions, "maxBacklogEntries" | "disk">;
  /** The longest time that a reader waits for a position. */
  waitLimitMs: number;
  /** Opens the stages after accept, in this thread or in another one. */
  openWork(events: WorkEvents): PipelineWork;
}

const MEASURE_EVERY_MS = 10_000;

/**
 * The pipeline as the rest of the server uses it: it accepts records, starts and stops the stages after accept, and waits
 * for positions. journey.ts states the order of the stages.
 */
export class Pipeline {
  readonly intake: Intake;
  readonly recent: RecentEntries;
  readonly #work: PipelineWork;
  readonly #positions: SearchablePositions;
  readonly #measure: Loop;

  constructor({ database, log, questions, wakeUps, metrics, logger, accept, waitLimitMs, openWork }: PipelineOptions) {
    const { maxBacklogEntries, disk, admission } = accept;
    const positions = new SearchablePositions({ database, log, questions, waitLimitMs });
    const recent = new RecentEntries((organizationId, isWatched) => work.setWatched(organizationId, isWatched));
    const work = openWork({
      onProjected: (organizationId) => positions.announce([organizationId]),
      onRejected: (organizationId, rejected) => recent.note(organizationId, rejected),
    });
    this.#work = work;
    wakeUps.on("projected", (organizationIds) => positions.announce(organizationIds));
    this.#positions = positions;
    this.recent = recent;
    this.intake = new Intake({
      log,
      admission,
      metrics,
      backlog: new Backlog({ database, maxBacklogEntries, disk }),
      recent,
      // The other calls of their batch are stored by now, so an error must not make the sender send them again.
      listRefused: (organizationId, rejections) =>
        saveRejections(database, organizationId, rejections).catch((error: unknown) => {
          logger.error({ err: error, organizationId }, "refused calls could not be listed");
        }),
      onAppended: (organizationId, parts) => work.appended(organizationId, parts),
    });
    // Every worker measures the backlogs of all organizations. A process that only accepts would never see a backlog shrink.
    this.#measure = new Loop({
      async step() {
        const measured = await backlogs(database);
        metrics.backlog.reset();
        for (const [organization, entries] of measured) metrics.backlog.set({ organization }, entries);
        return MEASURE_EVERY_MS;
      },
      onError: (error) => logger.error({ err: error }, "measuring the backlog failed"),
    });
  }

  /** Starts the stages after accept. A process that does not start the pipeline only accepts. */
  async start(): Promise<void> {
    await this.#work.start();
    this.#measure.start();
  }

  async stop(): Promise<void> {
    await this.#measure.stop();
    await this.intake.drain();
    await this.#work.stop();
  }

  /**
   * Checks soon whether the question engine of an organization is up to date: it may be new, or a rebuild was
   * requested.
   */
  catchUpSoon(organizationId: string): void {
    this.#work.catchUpSoon(organizationId);
  }

  /**
   * Re-evaluates soon the segments of an organization that need it: created, edited, deleted or time-dependent ones.
   */
  sweepSoon(organizationId: string): void {
    this.#work.sweepSoon(organizationId);
  }

  /** Waits until the records at a position are searchable. */
  async waitFor(organizationId: string, position: LanePositions, abort?: AbortSignal): Promise<void> {
    await this.#positions.waitFor(organizationId, position, abort);
  }
}
