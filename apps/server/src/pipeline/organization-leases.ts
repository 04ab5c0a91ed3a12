import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { WorkLease } from "../storage/postgres/leases/work-lease.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { StepResult } from "./step-result.js";

export interface OrganizationLeasesOptions {
  leases: WorkLeases;
  logger: Logger;
  /** Is called before the first step after another process has had the work of an organization. */
  onTaken(organizationId: string): Promise<void>;
}

const ROLE = "worker";
// Older versions take a lease of this name for the project stage alone. They run beside this version during an upgrade.
const WORK = "the project stage";
// How long a process waits before it tries again to take work that another process is about to give back.
const RETRY_MS = 200;

/**
 * The leases of this process on the work of organizations. All stages of an organization run under one lease, so one
 * process has all that is in memory about it. Organizations are shared out among the workers.
 */
export class OrganizationLeases {
  readonly #options: OrganizationLeasesOptions;
  readonly #steps = new Map<string, number>();
  readonly #taking = new Map<string, Promise<WorkLease | undefined>>();

  constructor(options: OrganizationLeasesOptions) {
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

  /** Runs a step under the lease. When the organization belongs to another process, it is given back after its steps. */
  async step(organizationId: string, step: (lease: WorkLease) => Promise<StepResult>): Promise<StepResult> {
    if (!this.isMine(organizationId)) {
      await this.#giveBack(organizationId);
      return "elsewhere";
    }
    const lease = await this.#take(organizationId);
    if (!lease) {
      await sleep(RETRY_MS);
      return "waiting";
    }
    this.#steps.set(organizationId, (this.#steps.get(organizationId) ?? 0) + 1);
    try {
      return await step(lease);
    } finally {
      const others = (this.#steps.get(organizationId) ?? 1) - 1;
      if (others === 0) this.#steps.delete(organizationId);
      else this.#steps.set(organizationId, others);
      if (!this.isMine(organizationId)) await this.#giveBack(organizationId);
    }
  }

  /** Releases the organizations that belong to other processes now and have no running step. */
  async giveBackOthers(): Promise<void> {
    for (const organizationId of this.#options.leases.heldOf(WORK)) {
      if (!this.isMine(organizationId)) await this.#giveBack(organizationId);
    }
  }

  async #giveBack(organizationId: string): Promise<void> {
    if (!this.#steps.has(organizationId)) await this.#options.leases.release(WORK, organizationId);
  }

  /** Stages that take the lease at the same time share one attempt. */
  #take(organizationId: string): Promise<WorkLease | undefined> {
    const taking =
      this.#taking.get(organizationId) ??
      this.#takeOnce(organizationId).finally(() => this.#taking.delete(organizationId));
    this.#taking.set(organizationId, taking);
    return taking;
  }

  async #takeOnce(organizationId: string): Promise<WorkLease | undefined> {
    const { leases, onTaken } = this.#options;
    const lease = await leases.take(WORK, organizationId);
    if (lease && !lease.isContinued) {
      try {
        await onTaken(organizationId);
      } catch (error) {
        // The next step takes it again, and calls again.
        leases.forget(WORK, organizationId);
        throw error;
      }
    }
    return lease;
  }
}
