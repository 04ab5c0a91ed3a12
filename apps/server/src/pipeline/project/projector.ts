import { setTimeout as sleep } from "node:timers/promises";
import { openProjectCursor, readChangeHead, readProjectCursor } from "../../storage/postgres/changes/changes.js";
import { WorkLocks } from "../../storage/postgres/work-locks.js";
import { isBehind } from "../../storage/questions/projection.js";
import { sweepNext } from "../evaluate/sweep.js";
import type { StepResult } from "../step-result.js";
import { CatchUp } from "./catch-up.js";
import { type ProjectOptions, type ProjectStepOptions, projectNext } from "./project.js";

const WORK = "the project stage";
// How long a process waits before it tries again to take work that another process has.
const CLAIM_RETRY_MS = 200;

/**
 * The project stage: first it brings the question engine up to date, then it sweeps segments and projects changes. One
 * process at a time does this for an organization. It gives the claim back when nothing waits.
 */
export class Projector {
  readonly #options: ProjectOptions;
  readonly #catchUp: CatchUp;
  readonly #locks: WorkLocks;
  readonly #toSweep = new Set<string>();

  constructor(options: ProjectOptions) {
    this.#options = options;
    this.#catchUp = new CatchUp(options);
    // Nothing need be stopped when the locks are lost: each step confirms its claim before it saves anything.
    this.#locks = new WorkLocks(options.database, () => {});
  }

  /** Makes the next step check whether the question engine of an organization is up to date. */
  requestCatchUp(organizationId: string): void {
    this.#catchUp.checkAgain(organizationId);
  }

  /** Makes the next steps sweep the segments of an organization that are due. */
  requestSweep(organizationId: string): void {
    this.#toSweep.add(organizationId);
  }

  /** Does the next piece of work of an organization. */
  async step(organizationId: string): Promise<StepResult> {
    const claim = await this.#locks.take(WORK, organizationId);
    if (!claim) return this.#waitForOther(organizationId);
    let result: StepResult = "idle";
    try {
      if (!claim.isContinued) await this.#forget(organizationId);
      result = (await this.#work({ ...this.#options, claim }, organizationId)) ? "worked" : "idle";
    } catch (error) {
      // Nobody knows how much of the step the question engine has written.
      this.#catchUp.checkAgain(organizationId);
      throw error;
    } finally {
      if (result === "idle") await this.#locks.release(WORK, organizationId);
    }
    return result;
  }

  async close(): Promise<void> {
    await this.#locks.close();
  }

  async #work(options: ProjectStepOptions, organizationId: string): Promise<boolean> {
    const cursor = await openProjectCursor(options.database, organizationId);
    if (await this.#catchUp.step(organizationId, cursor, options.claim)) return true;
    const hasSwept = await this.#sweep(options, organizationId);
    return (await projectNext(options, organizationId, cursor, this.#catchUp)) || hasSwept;
  }

  async #sweep(options: ProjectStepOptions, organizationId: string): Promise<boolean> {
    // Deleted before the sweep: a request that comes during it asks for another one.
    if (!this.#toSweep.delete(organizationId)) return false;
    let hasSwept = true;
    try {
      hasSwept = await sweepNext(options, organizationId);
    } finally {
      if (hasSwept) this.#toSweep.add(organizationId);
    }
    return hasSwept;
  }

  /** Another process does the work. It also does what was found here, unless it has just looked and ends. */
  async #waitForOther(organizationId: string): Promise<StepResult> {
    await sleep(CLAIM_RETRY_MS);
    if (this.#toSweep.has(organizationId)) return "waiting";
    const { database, questions } = this.#options;
    const cursor = await readProjectCursor(database, organizationId);
    if ((await readChangeHead(database, organizationId)) > cursor.sequence) return "waiting";
    return isBehind(await questions.progress(organizationId), cursor) ? "waiting" : "idle";
  }

  /** What this process knows about the question engine may be outdated, because another process had the claim. */
  async #forget(organizationId: string): Promise<void> {
    const { changeBuffer, database } = this.#options;
    this.#catchUp.checkAgain(organizationId);
    changeBuffer.clear(organizationId, await readChangeHead(database, organizationId));
  }
}
