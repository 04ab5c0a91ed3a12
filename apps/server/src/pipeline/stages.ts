import type { Logger } from "pino";
import { Loop } from "../runtime/loop.js";
import { Loops } from "../runtime/loops.js";
import type { Metrics } from "../runtime/metrics.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { Database } from "../storage/postgres/database.js";
import type { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import type { WorkClaim } from "../storage/postgres/leases/work-claim.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { WakeUp, WakeUps } from "../storage/postgres/wake-ups.js";
import type { Questions } from "../storage/questions/questions.js";
import { BatchBuffer, type BufferedPart } from "./accept/batch-buffer.js";
import { Applier } from "./apply/applier.js";
import type { ApplyOptions } from "./apply/apply.js";
import { findMissing, findWork } from "./find-work.js";
import type { NotifyOptions } from "./notify/notify.js";
import { ShownStates } from "./notify/shown-states.js";
import { OrganizationClaims } from "./organization-claims.js";
import type { PipelineWork, WorkEvents } from "./pipeline-work.js";
import { ChangeBuffer } from "./project/change-buffer.js";
import { Projector } from "./project/projector.js";
import { type Stage, StageProblems } from "./stage-problems.js";
import type { StepResult } from "./step-result.js";

export interface StagesOptions {
  database: Database;
  log: Pick<IngestionLog, "knownHeads" | "read" | "listen" | "noteHeads">;
  questions: Questions;
  leases: WorkLeases;
  wakeUps: WakeUps;
  metrics: Metrics;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
  apply: Pick<ApplyOptions, "rules" | "bulkEvery">;
  notify: Pick<NotifyOptions, "directory" | "onQueued">;
  events: WorkEvents;
}

/** The roles whose processes have readers that wait for a position. */
const READERS = ["api", "dashboard"];
// How soon work is found that this process was not woken for.
const LOOK_EVERY_MS = 10_000;

/** The stages after accept: apply, and project with evaluate and notify. They run in the thread that makes this object. */
export class Stages implements PipelineWork {
  readonly #options: StagesOptions;
  readonly #batchBuffer = new BatchBuffer();
  readonly #watched = new Set<string>();
  readonly #problems: StageProblems;
  readonly #projector: Projector;
  readonly #claims: OrganizationClaims;
  readonly #apply: Loops;
  readonly #project: Loops;
  readonly #look: Loop;

  constructor(options: StagesOptions) {
    const { database, log, questions, leases, metrics, lags, logger, apply, notify, events } = options;
    const { maxAttributes } = apply.rules;
    const changeBuffer = new ChangeBuffer();
    this.#options = options;
    this.#problems = new StageProblems({ database, metrics, logger });
    const applier = new Applier({
      apply: { database, log, ...apply, batchBuffer: this.#batchBuffer },
      metrics,
      lags,
      logger,
      changeBuffer,
      isWatched: (organizationId) => this.#watched.has(organizationId),
      onRejected: events.onRejected,
    });
    this.#projector = new Projector({
      database,
      questions,
      maxAttributes,
      changeBuffer,
      lags,
      notify: { database, questions, maxAttributes, shown: new ShownStates(), ...notify },
      logger,
    });
    this.#claims = new OrganizationClaims({
      leases,
      logger,
      onTaken: (organizationId) => this.#projector.forget(organizationId),
    });
    this.#apply = this.#stage("apply", applier, (organizationId) => this.#project.wake(organizationId));
    this.#project = this.#stage("project", this.#projector, (organizationId) => {
      events.onProjected(organizationId);
      if (leases.hasOthers(...READERS)) options.wakeUps.tell("projected", [organizationId]);
    });
    this.#look = new Loop({
      step: async () => {
        await this.#claims.giveBackOthers();
        await this.#wakeForWork();
        return LOOK_EVERY_MS;
      },
      onError: (error) => logger.error({ err: error }, "looking for work failed"),
    });
  }

  async start(): Promise<void> {
    const { database, questions } = this.#options;
    this.#batchBuffer.open();
    this.#apply.start();
    this.#project.start();
    this.#claims.join(() => this.#look.wake());
    this.#follow("appended", (organizationId) => this.#apply.wake(organizationId));
    this.#follow("sweep", (organizationId) => this.#sweep(organizationId));
    this.#follow("catchUp", (organizationId) => this.#catchUp(organizationId));
    for (const organizationId of await findMissing(database, questions)) this.#project.wake(organizationId);
    this.#options.log.listen((organizationId) => this.#apply.wake(organizationId));
    this.#look.start();
  }

  async stop(): Promise<void> {
    await this.#look.stop();
    await this.#apply.stop();
    await this.#project.stop();
    await this.#claims.leave();
  }

  appended(organizationId: string, parts: readonly BufferedPart[]): void {
    // What another process applies would stay in the buffer.
    if (!this.#claims.isMine(organizationId)) {
      this.#options.wakeUps.tell("appended", [organizationId]);
      return;
    }
    this.#batchBuffer.put(organizationId, parts);
    this.#apply.wake(organizationId);
  }

  catchUpSoon(organizationId: string): void {
    if (this.#claims.isMine(organizationId)) this.#catchUp(organizationId);
    else this.#options.wakeUps.tell("catchUp", [organizationId]);
  }

  sweepSoon(organizationId: string): void {
    if (this.#claims.isMine(organizationId)) this.#sweep(organizationId);
    else this.#options.wakeUps.tell("sweep", [organizationId]);
  }

  #catchUp(organizationId: string): void {
    this.#projector.requestCatchUp(organizationId);
    this.#project.wake(organizationId);
  }

  #sweep(organizationId: string): void {
    this.#projector.requestSweep(organizationId);
    this.#project.wake(organizationId);
  }

  setWatched(organizationId: string, isWatched: boolean): void {
    if (isWatched) this.#watched.add(organizationId);
    else this.#watched.delete(organizationId);
  }

  /** Does what other processes ask for, if the organization is here. */
  #follow(wakeUp: WakeUp, wake: (organizationId: string) => void): void {
    this.#options.wakeUps.on(wakeUp, (organizationIds) => {
      if (!organizationIds) this.#look.wake();
      for (const organizationId of organizationIds ?? []) if (this.#claims.isMine(organizationId)) wake(organizationId);
    });
  }

  async #wakeForWork(): Promise<void> {
    await this.#options.log.noteHeads();
    const { apply, project, rebuild, sweep } = await findWork(this.#options.database);
    for (const organizationId of apply) this.#apply.wake(organizationId);
    for (const organizationId of project) this.#project.wake(organizationId);
    for (const organizationId of rebuild) this.#catchUp(organizationId);
    for (const organizationId of sweep) this.#sweep(organizationId);
    for (const { organizationId, stage } of await this.#problems.findOfOthers()) {
      (stage === "apply" ? this.#apply : this.#project).wake(organizationId);
    }
  }

  /** Repeats the steps of a stage, for each organization in a loop of its own. */
  #stage(
    name: Stage,
    worker: { step(organizationId: string, claim: WorkClaim): Promise<StepResult> },
    onStep: (organizationId: string) => void,
  ): Loops {
    const { metrics } = this.#options;
    const problems = this.#problems;
    const claims = this.#claims;
    return new Loops({
      async step(organizationId) {
        const stopClock = metrics.stageSeconds.startTimer({ stage: name });
        const result = await claims.step(organizationId, (claim) => worker.step(organizationId, claim));
        if (result === "elsewhere") {
          problems.leave(organizationId, name);
          return false;
        }
        // Another process has the work, and may have a problem with it.
        if (result !== "waiting") await problems.clear(organizationId, name);
        if (result === "worked" || result === "finished") {
          stopClock();
          onStep(organizationId);
        }
        return result === "worked" || result === "waiting";
      },
      onError: (error, organizationId) => problems.note(organizationId, name, error),
    });
  }
}
