import type { Logger } from "pino";
import type { Metrics } from "../runtime/measures/metrics.js";
import { LogGap } from "../storage/logs/log-gap.js";
import type { Database } from "../storage/postgres/database.js";
import { LeaseLost } from "../storage/postgres/leases/lease-lost.js";
import {
  type FailingStage,
  listFailingStages,
  removeStageProblem,
  saveStageProblem,
} from "../storage/postgres/stage-problems.js";
import type { PublicStage } from "./stage-names.js";
import { StandsStill } from "./stands-still.js";

export interface StageProblemsOptions {
  database: Database;
  metrics: Metrics;
  logger: Logger;
}

// The texts of other errors may contain data of users, which belongs only in the log of the server.
const UNKNOWN = "The stage failed and is tried again. The log of the server has the error.";

/** Makes it known that a stage fails for an organization: in the log, in the metrics, and in the status. */
export class StageProblems {
  readonly #options: StageProblemsOptions;
  /** What is stored about each stage of an organization. Undefined when nothing is; missing when that is not known. */
  readonly #stored = new Map<string, string | undefined>();
  /** Settles when the problems that were noted so far are stored. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: StageProblemsOptions) {
    this.#options = options;
  }

  /** Notes that a step has failed. It is tried again. */
  note(organizationId: string, stage: PublicStage, error: unknown): void {
    const { database, metrics, logger } = this.#options;
    if (error instanceof LeaseLost) {
      logger.warn({ err: error, stage, organizationId }, "another process has taken over a stage");
      return;
    }
    logger.error({ err: error, stage, organizationId }, "stage failed");
    metrics.failingStages.set({ stage, organization: organizationId }, 1);
    const message = error instanceof LogGap || error instanceof StandsStill ? error.message : UNKNOWN;
    const key = keyOf({ organizationId, stage });
    if (this.#stored.get(key) === message) return;
    this.#stored.delete(key);
    const writing = saveStageProblem(database, organizationId, { stage, message })
      .then(() => this.#stored.set(key, message))
      // The database may be the reason. The next failure tries again.
      .catch((cause: unknown) => logger.warn({ err: cause, stage, organizationId }, "a problem could not be stored"));
    this.#writing = Promise.all([this.#writing, writing]);
  }

  /**
   * Finds problems that another process has stored: it may have died since, and nothing tells when they are over. The
   * next successful step here removes them. Problems of this process that another one has removed are stored again when
   * the stage fails again.
   */
  async findOfOthers(): Promise<FailingStage[]> {
    const failing = await listFailingStages(this.#options.database);
    const keys = new Set(failing.map(keyOf));
    for (const [key, message] of this.#stored) if (message !== undefined && !keys.has(key)) this.#stored.delete(key);
    const ofOthers = failing.filter((problem) => this.#stored.get(keyOf(problem)) === undefined);
    for (const problem of ofOthers) this.#stored.delete(keyOf(problem));
    return ofOthers;
  }

  /** Notes that the stage belongs to another process, which tells from now on whether it fails. */
  leave(organizationId: string, stage: PublicStage): void {
    this.#stored.delete(keyOf({ organizationId, stage }));
    this.#options.metrics.failingStages.remove({ stage, organization: organizationId });
  }

  /** Notes that a step has succeeded. */
  async clear(organizationId: string, stage: PublicStage): Promise<void> {
    const key = keyOf({ organizationId, stage });
    if (this.#stored.has(key) && this.#stored.get(key) === undefined) return;
    await this.#writing;
    await removeStageProblem(this.#options.database, organizationId, stage);
    this.#stored.set(key, undefined);
    this.#options.metrics.failingStages.remove({ stage, organization: organizationId });
  }
}

function keyOf({ organizationId, stage }: FailingStage): string {
  return `${stage} ${organizationId}`;
}
