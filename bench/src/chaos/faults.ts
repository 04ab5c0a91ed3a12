import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.js";
import type { History } from "./history.js";
import type { Random } from "./random.js";
import type { Sender } from "./sender.js";
import type { ServerUnderTest } from "./server-under-test.js";
import type { Sink } from "./sink.js";
import type { SmallDisk } from "./small-disk.js";

export interface FaultsOptions {
  server: ServerUnderTest;
  disk: SmallDisk;
  clock: Clock;
  sink: Sink;
  sender: Sender;
  history: History;
  random: Random;
}

/** After this time without an acknowledgement the benchmark starts the server again, as an operator would. */
const HELP_AFTER_MS = 30_000;
const LOST_AFTER_MS = 180_000;
const MINUTE_MS = 60_000;
// Batches that are sent again are recognised for 24 hours by the server's clock, so the clock moves less than that. The
// server corrects clocks of clients in whole minutes, so it moves by whole minutes: then every record time is known.
const CLOCK_MINUTES = [-360, -61, -5, -1, 1, 5, 61, 360];

/** Makes faults, one after the other. */
export class Faults {
  readonly #options: FaultsOptions;
  readonly #faults: Record<string, () => Promise<void>>;
  #sinkUntil = Promise.resolve();
  #isInterrupted = false;

  constructor(options: FaultsOptions) {
    this.#options = options;
    const { disk } = options;
    this.#faults = {
      "kill the server": () => this.#killServer(),
      "kill PostgreSQL": () => this.#killPostmaster(),
      "kill a process of PostgreSQL": () => this.#killBackend(),
      ...(disk.problem === undefined ? { "fill the disk": () => this.#fillDisk() } : {}),
      "set the clock": () => this.#setClock(),
      "set the clock again": () => this.#setClock(),
      "connector is down": () => this.#disturbSink("down"),
      "connector is slow": () => this.#disturbSink("slow"),
    };
  }

  /** Makes faults for this long, and at least one of each kind. No kind is repeated before all others had their turn. */
  async run(forMs: number, pauseMs: number): Promise<void> {
    const { random } = this.#options;
    const endAt = Date.now() + forMs;
    for (let isFirst = true; Date.now() < endAt; isFirst = false) {
      for (const name of random.shuffle(Object.keys(this.#faults))) {
        await sleep(random.between(0.5, 1.5) * pauseMs);
        this.#throwIfInterrupted();
        if (Date.now() > endAt && !isFirst) return;
        await this.#faults[name]?.();
      }
    }
  }

  /** Ends the run with an error soon. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** Takes back everything that a fault left, and waits until the server acknowledges. */
  async end(): Promise<void> {
    const { disk, clock, sink, history } = this.#options;
    disk.free();
    await this.#sinkUntil;
    sink.manner = "up";
    await clock.set(0);
    history.note("the faults end: the disk is free, the clock is right, the connector is up");
    await this.#recover("the end of the faults", Date.now());
  }

  async #killServer(): Promise<void> {
    const { server, history, random } = this.#options;
    history.note("kill -9 of the server");
    await server.kill();
    const killedAt = Date.now();
    await sleep(random.between(0, 1_500));
    await server.restart();
    await this.#recover("kill -9 of the server, and a restart", killedAt);
  }

  async #killPostmaster(): Promise<void> {
    const { server, history } = this.#options;
    const killedAt = Date.now();
    if (!server.killPostmaster()) return;
    history.note("kill -9 of PostgreSQL (postmaster)");
    await this.#recover("kill -9 of PostgreSQL", killedAt);
  }

  async #killBackend(): Promise<void> {
    const { server, history, random } = this.#options;
    const killedAt = Date.now();
    if (!server.killBackend((pids) => random.pick(pids))) return;
    history.note("kill -9 of one process of PostgreSQL");
    await this.#recover("kill -9 of one process of PostgreSQL", killedAt);
  }

  async #fillDisk(): Promise<void> {
    const { disk, history, random } = this.#options;
    history.note("the disk is full");
    disk.fill();
    await sleep(random.between(3_000, 7_000));
    // What the server freed meanwhile is taken too.
    disk.fill();
    await sleep(random.between(1_000, 3_000));
    disk.free();
    history.note("the disk has room again");
    await this.#recover("a full disk, from when it has room", Date.now());
  }

  async #setClock(): Promise<void> {
    const { clock, history, random } = this.#options;
    const minutes = clock.offset === 0 || random.next() < 0.7 ? random.pick(CLOCK_MINUTES) : 0;
    const step = minutes - clock.offset / MINUTE_MS;
    history.note(`the clock of the server goes ${step} min, and is now ${minutes} min from the true time`);
    const setAt = Date.now();
    await clock.set(minutes * MINUTE_MS);
    await this.#recover("a step of the clock", setAt);
  }

  async #disturbSink(manner: "down" | "slow"): Promise<void> {
    const { sink, history, random } = this.#options;
    await this.#sinkUntil;
    sink.manner = manner;
    const seconds = Math.round(random.between(4, 10));
    history.note(`the connector is ${manner} for ${seconds} s`);
    this.#sinkUntil = sleep(seconds * 1_000).then(() => {
      sink.manner = "up";
    });
  }

  /** Waits for a request that began after the fault and was acknowledged. A server that stays unavailable is started again. */
  async #recover(fault: string, since: number): Promise<void> {
    const { sender, server, history } = this.#options;
    let how = "";
    for (let helpAt = Date.now() + HELP_AFTER_MS; sender.acknowledgedFrom <= since; await sleep(20)) {
      this.#throwIfInterrupted();
      if (Date.now() - since > LOST_AFTER_MS) throw new Error(`The server did not come back after: ${fault}.`);
      if (Date.now() < helpAt) continue;
      history.note("  nothing is acknowledged: the benchmark starts the server again");
      await server.restart();
      how = "restarted by the benchmark";
      helpAt = Date.now() + HELP_AFTER_MS;
    }
    history.recovered(fault, (Date.now() - since) / 1_000, how);
  }

  #throwIfInterrupted(): void {
    if (this.#isInterrupted) throw new Error("The run was interrupted.");
  }
}
