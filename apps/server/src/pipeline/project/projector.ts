import { openProjectCursor, readChangeHead } from "../../storage/postgres/changes/changes.js";
import { readProjectBasis } from "../../storage/postgres/changes/project-basis.js";
import type { WorkClaim } from "../../storage/postgres/leases/work-claim.js";
import { sweepNext } from "../evaluate/sweep.js";
import type { StepResult } from "../step-result.js";
import { CatchUp } from "./catch-up.js";
import { type ProjectOptions, type ProjectStepOptions, projectNext } from "./project.js";

/** The project stage: first it brings the question engine up to date, then it sweeps segments and projects changes. */
export class Projector {
  readonly #options: ProjectOptions;
  readonly #catchUp: CatchUp;
  readonly #toSweep = new Set<string>();

  constructor(options: ProjectOptions) {
    this.#options = options;
    this.#catchUp = new CatchUp(options);
  }

  /** Makes the next step check whether the question engine of an organization is up to date. */
  requestCatchUp(organizationId: string): void {
    this.#catchUp.checkAgain(organizationId);
  }

  /** Makes the next steps sweep the segments of an organization that are due. */
  requestSweep(organizationId: string): void {
    this.#toSweep.add(organizationId);
  }

  /** Does the next piece of work of an organization, on which this process has the claim. */
  async step(organizationId: string, claim: WorkClaim): Promise<StepResult> {
    try {
      return (await this.#work({ ...this.#options, claim }, organizationId)) ? "worked" : "idle";
    } catch (error) {
      // Nobody knows how much of the step the question engine has written.
      this.#catchUp.checkAgain(organizationId);
      throw error;
    }
  }

  /** Must be called when another process has had the claim: what is known here about the question engine is outdated. */
  async forget(organizationId: string): Promise<void> {
    const { changeBuffer, database } = this.#options;
    this.#catchUp.checkAgain(organizationId);
    changeBuffer.clear(organizationId, await readChangeHead(database, organizationId));
  }

  async #work(options: ProjectStepOptions, organizationId: string): Promise<boolean> {
    const basis = await readProjectBasis(options.database, organizationId);
    // What it writes would stay behind when the rest of the organization is removed.
    if (!basis || basis.isDeleted) return false;
    const cursor = basis.cursor ?? (await openProjectCursor(options.database, organizationId));
    if (await this.#catchUp.step(organizationId, cursor, options.claim)) return true;
    const hasSwept = await this.#sweep(options, organizationId);
    return (await projectNext(options, organizationId, { ...basis, cursor }, this.#catchUp)) || hasSwept;
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
}
