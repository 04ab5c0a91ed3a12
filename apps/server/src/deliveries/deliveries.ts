import type { Logger } from "pino";
import { Claims } from "../storage/postgres/claims.js";
import { connectorsWithWork } from "../storage/postgres/delivery/outbox.js";
import { DeliveryLoop, type DeliveryLoopOptions } from "./delivery-loop.js";

// Finds connectors whose process died, and messages that another process queued.
const LOOK_EVERY_MS = 2_000;

/** Runs one delivery loop for each connector that is sent anything, each in one process only. */
export class Deliveries {
  readonly #options: DeliveryLoopOptions;
  readonly #logger: Logger;
  readonly #running = new Map<string, DeliveryLoop>();
  readonly #claims: Claims;
  #look: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #forgetDirectory: (() => void) | undefined;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#claims = new Claims(options.database, () => this.#stopAll());
  }

  async start(): Promise<void> {
    await this.#adjust();
    this.#forgetDirectory = this.#options.directory.onChange(() => this.#do(() => this.#adjust()));
    this.#look = setInterval(() => this.#do(() => this.#lookAround()), LOOK_EVERY_MS);
    this.#look.unref();
  }

  /** Calls under way are given up: their messages are sent again after the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#look);
    this.#forgetDirectory?.();
    await this.#working;
    this.#stopAll();
    await this.#working;
    await this.#claims.close();
  }

  /** Something waits in the queues of these connectors. */
  wake(connectorIds: Iterable<string>): void {
    for (const id of connectorIds) this.#running.get(id)?.wake();
  }

  /** One piece of work after the other. */
  #do(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(work)
      .catch((error) => this.#logger.error({ err: error }, "looking after the deliveries failed"));
  }

  async #lookAround(): Promise<void> {
    if (this.#running.size > 0) this.wake(await connectorsWithWork(this.#options.database));
    await this.#startMissing();
  }

  /** Starts loops for new connectors, stops those of removed ones, wakes all others: what they depend on has changed. */
  async #adjust(): Promise<void> {
    for (const [id, loop] of this.#running) {
      if (this.#options.directory.find(id)) {
        loop.wake();
        continue;
      }
      this.#running.delete(id);
      await loop.stop();
      await this.#claims.release(claimName(id));
    }
    await this.#startMissing();
  }

  async #startMissing(): Promise<void> {
    for (const { connector } of this.#options.directory.all()) {
      if (connector.sourceUrl === null || this.#running.has(connector.id)) continue;
      if (await this.#claims.claim(claimName(connector.id))) this.#startLoop(connector.organizationId, connector.id);
    }
  }

  #startLoop(organizationId: string, connectorId: string): void {
    const loop = new DeliveryLoop(this.#options, organizationId, connectorId);
    this.#running.set(connectorId, loop);
    loop.start();
  }

  #stopAll(): void {
    const stopped = [...this.#running.values()].map((loop) => loop.stop());
    this.#running.clear();
    // No loop starts for a connector while the one before may still be at work.
    this.#do(async () => {
      await Promise.all(stopped);
    });
  }
}

function claimName(connectorId: string): string {
  return `delivery to connector ${connectorId}`;
}
