import { EventEmitter, once } from "node:events";
import { Refusal } from "@muster/protocol";
import type { Logger } from "pino";
import { hasReached, type LanePositions } from "../domain/entries/lanes.js";
import { Loop } from "../runtime/loop.js";
import { Loops } from "../runtime/loops.js";
import type { Metrics } from "../runtime/metrics.js";
import { openProjectCursor, organizationsProjected, readProjectCursor } from "../storage/postgres/changes/changes.js";
import { organizationsToRebuild } from "../storage/postgres/changes/rebuilds.js";
import type { Database } from "../storage/postgres/database.js";
import { organizationsWithWork } from "../storage/postgres/ingest/apply-cursors.js";
import { organizationsToSweep } from "../storage/postgres/segments/segments.js";
import { isBehind } from "../storage/questions/projection.js";
import type { Questions } from "../storage/questions/questions.js";
import { Arrivals } from "./accept/arrivals.js";
import { Intake, type IntakeOptions } from "./accept/intake.js";
import { Applier } from "./apply/applier.js";
import type { ApplyOptions } from "./apply/apply.js";
import { SWEEP_SECONDS, sweepNext } from "./evaluate/sweep.js";
import type { NotifyOptions } from "./notify/notify.js";
import { CatchUp } from "./project/catch-up.js";
import { Handover } from "./project/handover.js";
import { projectNext } from "./project/project.js";

export interface PipelineOptions extends ApplyOptions, NotifyOptions, Omit<IntakeOptions, "arrivals" | "onAppended"> {
  database: Database;
  questions: Questions;
  metrics: Metrics;
  logger: Logger;
  /** Longest time a reader waits for a position. */
  waitLimitMs: number;
}

// Wakes what a lost signal left asleep, and what another process appended.
const LOOK_EVERY_MS = 10_000;
const LOOK_AGAIN_MS = 250;

/**
 * The journey of a record, stage by stage; each has its own cursor and can stop, restart or run elsewhere.
 *
 *   accept (intake.ts)    verdicts, one durable log row per batch, answer
 *   apply (apply.ts)      log → users, accounts, change log: one PostgreSQL transaction per micro-batch
 *   project (project.ts)  change log → question engine, which is brought up to date first (catch-up.ts), then
 *     evaluate (evaluate.ts)  which segments the touched subjects entered or left
 *     notify (notify.ts)      what there is to tell → the queues of connectors, which connectors/deliver works off
 *     sweep (sweep.ts)        segments that were edited, or that time has moved
 */
export class Pipeline {
  readonly intake: Intake;
  readonly #options: PipelineOptions;
  readonly #arrivals = new Arrivals();
  readonly #apply: Loops;
  readonly #project: Loops;
  readonly #projected = new EventEmitter().setMaxListeners(0);
  readonly #toSweep = new Set<string>();
  readonly #catchUp: CatchUp;
  readonly #look: Loop;

  constructor(options: PipelineOptions) {
    this.#options = options;
    const arrivals = this.#arrivals;
    const onAppended = (organizationId: string) => this.#apply.wake(organizationId);
    this.intake = new Intake({ ...options, arrivals, onAppended });
    const handover = new Handover();
    const projection = { ...options, handover };
    const catchUp = new CatchUp(projection);
    this.#catchUp = catchUp;
    const applier = new Applier({ ...options, arrivals }, options.metrics, handover);
    this.#apply = this.#stage(
      "apply",
      (organizationId) => applier.step(organizationId),
      (organizationId) => {
        this.#project.wake(organizationId);
      },
    );
    this.#project = this.#stage(
      "project",
      async (organizationId) => {
        const cursor = await openProjectCursor(options.database, organizationId);
        if (await catchUp.step(organizationId, cursor)) return true;
        // Taken before the step: whoever asks for a sweep during it asks for another one.
        const swept = this.#toSweep.delete(organizationId) && (await sweepNext(projection, organizationId));
        if (swept) this.#toSweep.add(organizationId);
        return (await projectNext(projection, organizationId, cursor)) || swept;
      },
      (organizationId) => {
        this.#projected.emit(organizationId);
      },
    );
    this.#look = new Loop({
      step: async () => {
        await this.#findWork();
        return LOOK_EVERY_MS;
      },
      onError: (error) => options.logger.error({ err: error }, "looking for work failed"),
    });
  }

  /** Starts to work off what waits; without it this process only accepts. */
  async start(): Promise<void> {
    this.#arrivals.open();
    this.#apply.start();
    this.#project.start();
    await this.#findMissing();
    this.#look.start();
  }

  /** Wakes the organizations that have work waiting in the database. */
  async #findWork(): Promise<void> {
    const { database } = this.#options;
    const { apply, project } = await organizationsWithWork(database);
    for (const organizationId of apply) this.#apply.wake(organizationId);
    for (const organizationId of project) this.#project.wake(organizationId);
    for (const organizationId of await organizationsToRebuild(database)) this.catchUpSoon(organizationId);
    for (const organizationId of await organizationsToSweep(database, SWEEP_SECONDS)) this.sweepSoon(organizationId);
  }

  /** Wakes the organizations that the question engine has lost: nobody might ask about them for long. */
  async #findMissing(): Promise<void> {
    const { database, questions } = this.#options;
    const held = new Set(await questions.organizations());
    for (const organizationId of await organizationsProjected(database)) {
      if (!held.has(organizationId)) this.#project.wake(organizationId);
    }
  }

  /** Brings the question engine up to date, where it is not: a rebuild was asked for, or it may be another than before. */
  catchUpSoon(organizationId: string): void {
    this.#catchUp.lookAgain(organizationId);
    this.#project.wake(organizationId);
  }

  /** Looks at everybody for the segments that need it: after one was created, edited or deleted, or by time. */
  sweepSoon(organizationId: string): void {
    this.#toSweep.add(organizationId);
    this.#project.wake(organizationId);
  }

  async stop(): Promise<void> {
    await this.#look.stop();
    await this.intake.drain();
    await this.#apply.stop();
    await this.#project.stop();
  }

  /** Waits until what was written at a position is searchable. */
  async waitFor(organizationId: string, wanted: LanePositions, abort?: AbortSignal): Promise<void> {
    const { waitLimitMs } = this.#options;
    const deadline = Date.now() + waitLimitMs;
    for (;;) {
      abort?.throwIfAborted();
      // Listens before it looks: what is projected in between would not be told again.
      const looked = new AbortController();
      const signal = AbortSignal.any([looked.signal, AbortSignal.timeout(LOOK_AGAIN_MS)]);
      const projected = once(this.#projected, organizationId, { signal }).catch(() => undefined);
      if (await this.#isSearchable(organizationId, wanted)) {
        looked.abort();
        return;
      }
      if (Date.now() > deadline) {
        throw new Refusal("wait_timeout", `The position is not searchable after ${waitLimitMs / 1_000} seconds.`);
      }
      // Another process may do the work, and then nobody here is told.
      await projected;
    }
  }

  /** Nothing is searchable while the question engine is behind what was projected before. */
  async #isSearchable(organizationId: string, wanted: LanePositions): Promise<boolean> {
    const { database, questions } = this.#options;
    const cursor = await readProjectCursor(database, organizationId);
    return hasReached(cursor.positions, wanted) && !isBehind(await questions.progress(organizationId), cursor);
  }

  #stage(name: string, step: (organizationId: string) => Promise<boolean>, onStep: (organizationId: string) => void) {
    const { metrics, logger } = this.#options;
    return new Loops({
      async step(organizationId) {
        const stopClock = metrics.stageSeconds.startTimer({ stage: name });
        const worked = await step(organizationId);
        if (worked) {
          stopClock();
          onStep(organizationId);
        }
        return worked;
      },
      onError: (error, organizationId) => logger.error({ err: error, stage: name, organizationId }, "stage failed"),
    });
  }
}
