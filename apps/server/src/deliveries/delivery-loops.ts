import { Loop } from "../runtime/loop.js";
import { connectorsWithWork } from "../storage/postgres/delivery/outbox.js";
import { WorkLocks } from "../storage/postgres/work-locks.js";
import { DeliveryLoop, type DeliveryLoopOptions } from "./delivery-loop.js";

// Finds the connectors of a process that died, and messages that another process queued.
const LOOK_EVERY_MS = 2_000;

/** Runs one delivery loop for each connector that has an address, each in one process only. */
export class DeliveryLoops {
  readonly #options: DeliveryLoopOptions;
  readonly #running = new Map<string, DeliveryLoop>();
  readonly #locks: WorkLocks;
  readonly #loop: Loop;
  /** Settles when the loops that lost their locks have ended. */
  #ended: Promise<unknown> = Promise.resolve();
  #hasChanged = false;
  #stopListening: (() => void) | undefined;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#locks = new WorkLocks(options.database, () => this.#stopAll());
    this.#loop = new Loop({
      step: async () => {
        await this.#step();
        return LOOK_EVERY_MS;
      },
      onError: (error) => options.logger.error({ err: error }, "starting or stopping deliveries failed"),
    });
  }

  start(): void {
    this.#stopListening = this.#options.directory.onChange(() => {
      this.#hasChanged = true;
      this.#loop.wake();
    });
    this.#loop.start();
  }

  /** Gives up the calls under way: their messages are sent again after the next start. */
  async stop(): Promise<void> {
    this.#stopListening?.();
    await this.#loop.stop();
    this.#stopAll();
    await this.#ended;
    await this.#locks.close();
  }

  /** Says that messages wait in the queues of these connectors. */
  wake(connectorIds: Iterable<string>): void {
    for (const id of connectorIds) this.#running.get(id)?.wake();
  }

  async #step(): Promise<void> {
    // No loop starts for a connector while an earlier one for it may still be calling.
    await this.#ended;
    if (this.#hasChanged) {
      // A change that comes meanwhile is followed in the next step, and so is one that this step fails at.
      this.#hasChanged = false;
      await this.#followDirectory().catch((error: unknown) => {
        this.#hasChanged = true;
        throw error;
      });
    } else if (this.#running.size > 0) {
      this.wake(await connectorsWithWork(this.#options.database));
    }
    await this.#startMissing();
  }

  /** Stops the loops of removed connectors. Wakes all others: their connector may have changed. */
  async #followDirectory(): Promise<void> {
    for (const [id, loop] of this.#running) {
      if (this.#options.directory.find(id)) {
        loop.wake();
        continue;
      }
      await loop.stop();
      await this.#locks.release(lockName(id), loop.organizationId);
      this.#running.delete(id);
    }
  }

  async #startMissing(): Promise<void> {
    for (const { connector } of this.#options.directory.all()) {
      if (connector.sourceUrl === null || this.#running.has(connector.id)) continue;
      const claim = await this.#locks.take(lockName(connector.id), connector.organizationId);
      if (!claim) continue;
      const loop = new DeliveryLoop(this.#options, connector.organizationId, connector.id, claim);
      this.#running.set(connector.id, loop);
      loop.start();
    }
  }

  #stopAll(): void {
    const stopped = [...this.#running.values()].map((loop) => loop.stop());
    this.#running.clear();
    this.#ended = Promise.all([this.#ended, ...stopped]);
  }
}

function lockName(connectorId: string): string {
  return `delivery to connector ${connectorId}`;
}
