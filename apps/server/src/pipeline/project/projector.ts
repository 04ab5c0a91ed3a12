import type { Logger } from "pino";
import { openProjectCursor } from "../../storage/postgres/changes/changes.js";
import { sweepNext } from "../evaluate/sweep.js";
import { CatchUp } from "./catch-up.js";
import { type ProjectOptions, projectNext } from "./project.js";

export interface ProjectorOptions extends ProjectOptions {
  logger: Logger;
}

/** The project stage: first it brings the question engine up to date, then it sweeps segments and projects changes. */
export class Projector {
  readonly #options: ProjectorOptions;
  readonly #catchUp: CatchUp;
  readonly #toSweep = new Set<string>();

  constructor(options: ProjectorOptions) {
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

  /** Does the next piece of work of an organization; false when none waits. */
  async step(organizationId: string): Promise<boolean> {
    const cursor = await openProjectCursor(this.#options.database, organizationId);
    if (await this.#catchUp.step(organizationId, cursor)) return true;
    const hasSwept = await this.#sweep(organizationId);
    return (await projectNext(this.#options, organizationId, cursor)) || hasSwept;
  }

  async #sweep(organizationId: string): Promise<boolean> {
    // Deleted before the sweep: a request that comes during it asks for another one.
    if (!this.#toSweep.delete(organizationId)) return false;
    const hasSwept = await sweepNext(this.#options, organizationId);
    if (hasSwept) this.#toSweep.add(organizationId);
    return hasSwept;
  }
}
