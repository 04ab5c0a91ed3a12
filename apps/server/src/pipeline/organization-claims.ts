import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { WorkClaim } from "../storage/postgres/leases/work-claim.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { StepResult } from "./step-result.js";

export interface OrganizationClaimsOptions {
  leases: WorkLeases;
  logger: Logger;
  /** Is called before the first step after another process has had the work of an organization. */
  onTaken(organizationId: string): Promise<void>;
}

const ROLE = "worker";
// Older versions take a claim of this name for the project stage alone. In an upgrade they run beside this one.
const WORK = "the project stage";
// How long a process waits before it tries again to take work that another process is about to give back.
const RETRY_MS = 200;

/**
 * The claims of this process on the work of organizations. All stages of an organization run under one claim, so one
 * process has all that is in memory about it. Organizations are shared out among the workers.
 */
export class OrganizationClaims {
  readonly #options: OrganizationClaimsOptions;
  readonly #steps = new Map<string, number>();
  readonly #taking = new Map<string, Promise<WorkClaim | undefined>>();

  constructor(options: OrganizationClaimsOptions) {
    this.#options = options;
  }

  /** Takes a share of the organizations from now on. `onChange` is called when it becomes another share. */
  join(onChange: () => void): void {
    this.#options.leases.onChange(onChange);
    this.#options.leases.join(ROLE);
  }

  /** Gives all organizations to others. The steps must have ended. */
  async leave(): Promise<void> {
    const { leases, logger } = this.#options;
    leases.leave(ROLE);
    await leases.releaseAll(WORK).catch((error: unknown) => {
      logger.warn({ err: error }, "leases on work could not be given back, and run out by themselves");
    });
  }

  isMine(organizationId: string): boolean {
    return this.#options.leases.isMine(ROLE, WORK, organizationId);
  }

  /** Runs a step under the claim. When the organization belongs to another process, it is given back after its steps. */
  async step(organizationId: string, step: (claim: WorkClaim) => Promise<StepResult>): Promise<StepResult> {
    if (!this.isMine(organizationId)) {
      await this.#giveBack(organizationId);
      return "elsewhere";
    }
    const claim = await this.#take(organizationId);
    if (!claim) {
      await sleep(RETRY_MS);
      return "waiting";
    }
    this.#steps.set(organizationId, (this.#steps.get(organizationId) ?? 0) + 1);
    try {
      return await step(claim);
    } finally {
      const others = (this.#steps.get(organizationId) ?? 1) - 1;
      if (others === 0) this.#steps.delete(organizationId);
      else this.#steps.set(organizationId, others);
      if (!this.isMine(organizationId)) await this.#giveBack(organizationId);
    }
  }

  /** Gives back the organizations that belong to others now and have no step under way. */
  async giveBackOthers(): Promise<void> {
    for (const organizationId of this.#options.leases.heldOf(WORK)) {
      if (!this.isMine(organizationId)) await this.#giveBack(organizationId);
    }
  }

  async #giveBack(organizationId: string): Promise<void> {
    if (!this.#steps.has(organizationId)) await this.#options.leases.release(WORK, organizationId);
  }

  /** Stages that take the claim at the same time share one attempt. */
  #take(organizationId: string): Promise<WorkClaim | undefined> {
    const taking =
      this.#taking.get(organizationId) ??
      this.#takeOnce(organizationId).finally(() => this.#taking.delete(organizationId));
    this.#taking.set(organizationId, taking);
    return taking;
  }

  async #takeOnce(organizationId: string): Promise<WorkClaim | undefined> {
    const { leases, onTaken } = this.#options;
    const claim = await leases.take(WORK, organizationId);
    if (claim && !claim.isContinued) {
      try {
        await onTaken(organizationId);
      } catch (error) {
        // The next step takes it again, and calls again.
        leases.forget(WORK, organizationId);
        throw error;
      }
    }
    return claim;
  }
}
