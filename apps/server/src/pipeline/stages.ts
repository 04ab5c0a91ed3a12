import type { Logger } from "pino";
import { Loop } from "../runtime/loops/loop.js";
import { Loops } from "../runtime/loops/loops.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { Database } from "../storage/postgres/database.js";
import type { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { WakeUp, WakeUps } from "../storage/postgres/wake-ups.js";
import type { Questions } from "../storage/questions/questions.js";
import type { BufferedPart } from "./buffers/batch-buffer.js";
import { findMissing, findWork } from "./find-work.js";
import { Journey, type JourneyOptions } from "./journey.js";
import { OrganizationLeases } from "./organization-leases.js";
import type { PipelineWork, WorkEvents } from "./pipeline-work.js";
import { PUBLIC_NAMES, type Stage } from "./stage-names.js";
import { StageProblems } from "./stage-problems.js";

export interface StagesOptions {
  database: Database;
  log: Pick<IngestionLog, "knownHeads" | "read" | "listen" | "noteHeads">;
  questions: Questions;
  leases: WorkLeases;
  wakeUps: WakeUps;
  metrics: Metrics;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
  apply: JourneyOptions["apply"];
  notify: JourneyOptions["notify"];
  events: WorkEvents;
}

/** The roles whose processes have readers that wait for a position. */
const READERS = ["api", "dashboard"];
// How soon work is found that this process was not woken for.
const LOOK_EVERY_MS = 10_000;

/**
 * Repeats the steps of the journey after accept, apply and relay, each in a loop for each organization. They run in the
 * thread that makes this object.
 */
export class Stages implements PipelineWork {
  readonly #options: StagesOptions;
  readonly #watched = new Set<string>();
  readonly #problems: StageProblems;
  readonly #journey: Journey;
  readonly #organizations: OrganizationLeases;
  readonly #apply: Loops;
  readonly #relay: Loops;
  readonly #look: Loop;

  constructor(options: StagesOptions) {
    const { database, log, questions, leases, metrics, lags, logger, apply, notify, events } = options;
    this.#options = options;
    this.#problems = new StageProblems({ database, metrics, logger });
    const journey = new Journey({
      database,
      log,
      questions,
      metrics,
      lags,
      logger,
      apply,
      notify,
      wakeRelay: (organizationId) => this.#relay.wake(organizationId),
      isWatched: (organizationId) => this.#watched.has(organizationId),
      onRejected: events.onRejected,
    });
    this.#journey = journey;
    this.#organizations = new OrganizationLeases({
      leases,
      logger,
      onTaken: (organizationId) => journey.forget(organizationId),
    });
    this.#apply = this.#stage("apply", (organizationId) => this.#relay.wake(organizationId));
    this.#relay = this.#stage("relay", (organizationId) => {
      events.onProjected(organizationId);
      if (leases.hasOthers(...READERS)) options.wakeUps.tell("projected", [organizationId]);
    });
    this.#look = new Loop({
      step: async () => {
        await this.#organizations.giveBackOthers();
        await this.#wakeForWork();
        return LOOK_EVERY_MS;
      },
      onError: (error) => logger.error({ err: error }, "looking for work failed"),
    });
  }

  async start(): Promise<void> {
    const { database, questions } = this.#options;
    this.#journey.open();
    this.#apply.start();
    this.#relay.start();
    this.#organizations.join(() => this.#look.wake());
    this.#follow("appended", (organizationId) => this.#apply.wake(organizationId));
    this.#follow("sweep", (organizationId) => this.#sweep(organizationId));
    this.#follow("catchUp", (organizationId) => this.#catchUp(organizationId));
    for (const organizationId of await findMissing(database, questions)) this.#relay.wake(organizationId);
    this.#options.log.listen((organizationId) => this.#apply.wake(organizationId));
    this.#look.start();
  }

  async stop(): Promise<void> {
    await this.#look.stop();
    await this.#apply.stop();
    await this.#relay.stop();
    await this.#organizations.leave();
  }

  appended(organizationId: string, parts: readonly BufferedPart[]): void {
    // What another process applies would stay in the buffer.
    if (!this.#organizations.isMine(organizationId)) {
      this.#options.wakeUps.tell("appended", [organizationId]);
      return;
    }
    this.#journey.accepted(organizationId, parts);
    this.#apply.wake(organizationId);
  }

  catchUpSoon(organizationId: string): void {
    if (this.#organizations.isMine(organizationId)) this.#catchUp(organizationId);
    else this.#options.wakeUps.tell("catchUp", [organizationId]);
  }

  sweepSoon(organizationId: string): void {
    if (this.#organizations.isMine(organizationId)) this.#sweep(organizationId);
    else this.#options.wakeUps.tell("sweep", [organizationId]);
  }

  #catchUp(organizationId: string): void {
    this.#journey.requestCatchUp(organizationId);
    this.#relay.wake(organizationId);
  }

  #sweep(organizationId: string): void {
    this.#journey.requestSweep(organizationId);
    this.#relay.wake(organizationId);
  }

  setWatched(organizationId: string, isWatched: boolean): void {
    if (isWatched) this.#watched.add(organizationId);
    else this.#watched.delete(organizationId);
  }

  /** Does what other processes ask for, if the organization is here. */
  #follow(wakeUp: WakeUp, wake: (organizationId: string) => void): void {
    this.#options.wakeUps.on(wakeUp, (organizationIds) => {
      if (!organizationIds) this.#look.wake();
      for (const organizationId of organizationIds ?? [])
        if (this.#organizations.isMine(organizationId)) wake(organizationId);
    });
  }

  async #wakeForWork(): Promise<void> {
    await this.#options.log.noteHeads();
    const { apply, relay, rebuild, sweep } = await findWork(this.#options.database);
    for (const organizationId of apply) this.#apply.wake(organizationId);
    for (const organizationId of relay) this.#relay.wake(organizationId);
    for (const organizationId of rebuild) this.#catchUp(organizationId);
    for (const organizationId of sweep) this.#sweep(organizationId);
    for (const { organizationId, stage } of await this.#problems.findOfOthers()) {
      (stage === PUBLIC_NAMES.apply ? this.#apply : this.#relay).wake(organizationId);
    }
  }

  /** Repeats the steps of a stage, for each organization in a loop of its own. */
  #stage(stage: Stage, onStep: (organizationId: string) => void): Loops {
    const name = PUBLIC_NAMES[stage];
    const journey = this.#journey;
    const { metrics } = this.#options;
    const problems = this.#problems;
    const organizations = this.#organizations;
    return new Loops({
      async step(organizationId) {
        const stopClock = metrics.stageSeconds.startTimer({ stage: name });
        const result = await organizations.step(organizationId, (lease) => journey[stage](organizationId, lease));
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
