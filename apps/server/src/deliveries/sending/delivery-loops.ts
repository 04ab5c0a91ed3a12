import { Loop } from "../../runtime/loops/loop.js";
import { connectorsWithWork } from "../../storage/postgres/delivery/outbox.js";
import type { WorkLeases } from "../../storage/postgres/leases/work-leases.js";
import type { WakeUps } from "../../storage/postgres/wake-ups.js";
import { DeliveryLoop, type DeliveryLoopOptions } from "./delivery-loop.js";

export interface DeliveryLoopsOptions extends DeliveryLoopOptions {
  leases: WorkLeases;
  wakeUps: WakeUps;
}

const ROLE = "deliver";
// How soon this process finds the connectors of a dead process, and messages that another process queued.
const LOOK_EVERY_MS = 2_000;

/** Runs one delivery loop for each connector that has an address, each in one process only. */
export class DeliveryLoops {
  readonly #options: DeliveryLoopsOptions;
  readonly #running = new Map<string, DeliveryLoop>();
  /** Connectors that are being handed to another process. Each stays here until its open calls have ended. */
  readonly #leaving = new Map<string, { loop: DeliveryLoop; ended: Promise<void> }>();
  readonly #loop: Loop;
  /** Settles when the loops that lost their leases have ended. */
  #ended: Promise<unknown> = Promise.resolve();
  #hasChanged = false;
  readonly #stopListening: (() => void)[] = [];

  constructor(options: DeliveryLoopsOptions) {
    this.#options = options;
    this.#loop = new Loop({
      step: async () => {
        await this.#step();
        return LOOK_EVERY_MS;
      },
      onError: (error) => options.logger.error({ err: error }, "starting or stopping deliveries failed"),
    });
  }

  start(): void {
    const { directory, leases, wakeUps } = this.#options;
    this.#stopListening.push(
      wakeUps.on("queued", (connectorIds) => this.#wakeOwn(connectorIds ?? this.#running.keys())),
      directory.onChange(() => {
        this.#hasChanged = true;
        this.#loop.wake();
      }),
      leases.onChange(() => {
        this.#stopLost();
        this.#loop.wake();
      }),
    );
    leases.join(ROLE);
    this.#loop.start();
  }

  /** Aborts the open calls. Their messages are sent again after the next start. */
  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    await this.#loop.stop();
    this.#stop([...this.#running.keys()]);
    await this.#ended;
    await Promise.all([...this.#leaving.values()].flatMap(({ loop, ended }) => [loop.stop(), ended]));
    this.#options.leases.leave(ROLE);
  }

  /** Says that messages wait in the queues of these connectors. */
  wake(connectorIds: Iterable<string>): void {
    const { leases, wakeUps } = this.#options;
    const elsewhere = [...connectorIds].filter((id) => !this.#running.has(id));
    if (elsewhere.length > 0 && leases.hasOthers(ROLE)) wakeUps.tell("queued", elsewhere);
    this.#wakeOwn(connectorIds);
  }

  #wakeOwn(connectorIds: Iterable<string>): void {
    for (const id of connectorIds) this.#running.get(id)?.wake();
  }

  async #step(): Promise<void> {
    this.#stopLost();
    // No loop starts for a connector while an earlier one for it may still be calling.
    await this.#ended;
    if (this.#hasChanged) {
      // A change that arrives during this step, or that this step fails to follow, is followed in the next step.
      this.#hasChanged = false;
      await this.#followDirectory().catch((error: unknown) => {
        this.#hasChanged = true;
        throw error;
      });
    } else if (this.#running.size > 0) {
      this.#wakeOwn(await connectorsWithWork(this.#options.database));
    }
    this.#giveBackOthers();
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
      await this.#options.leases.release(workOf(id), loop.organizationId);
      this.#running.delete(id);
    }
  }

  /** Releases the connectors that belong to another process now, each after its open calls have ended. */
  #giveBackOthers(): void {
    const { leases, logger } = this.#options;
    for (const [id, loop] of this.#running) {
      if (leases.isMine(ROLE, workOf(id), loop.organizationId)) continue;
      this.#running.delete(id);
      const ended = loop
        .finish()
        .then(() => leases.release(workOf(id), loop.organizationId))
        .catch((error: unknown) => logger.error({ err: error, connectorId: id }, "deliveries could not be given back"))
        .finally(() => this.#leaving.delete(id));
      this.#leaving.set(id, { loop, ended });
    }
  }

  async #startMissing(): Promise<void> {
    const { directory, leases } = this.#options;
    for (const { connector } of directory.all()) {
      const { id, organizationId, sourceUrl } = connector;
      if (sourceUrl === null || this.#running.has(id) || this.#leaving.has(id)) continue;
      if (!leases.isMine(ROLE, workOf(id), organizationId)) continue;
      const lease = await leases.take(workOf(id), organizationId);
      if (!lease) continue;
      const loop = new DeliveryLoop(this.#options, organizationId, id, lease);
      this.#running.set(id, loop);
      loop.start();
    }
  }

  /** Stops the loops of connectors that other processes have taken over. */
  #stopLost(): void {
    this.#stop([...this.#running].filter(([, loop]) => loop.isLost).map(([id]) => id));
  }

  #stop(ids: readonly string[]): void {
    const stopped = ids.map((id) => this.#running.get(id)?.stop());
    for (const id of ids) this.#running.delete(id);
    this.#ended = Promise.all([this.#ended, ...stopped]);
  }
}

/** The name of the work whose lease allows to call a connector and to change its queue. */
export function workOf(connectorId: string): string {
  return `delivery to connector ${connectorId}`;
}
