import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.js";
import { type RunningServer, type StartOptions, startServer } from "./start-server.js";

// Many processes start at once on a machine that may have two cores.
const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 60_000;
const RESTART_ATTEMPTS = 5;

/** What one process of a cluster does. Processes of one kind do the same. */
export interface ProcessPlan {
  kind: string;
  roles: readonly string[];
  environment?: Record<string, string>;
}

/** A Muster process of a cluster. It has the same port and data directory after each start. */
export class MusterProcess {
  readonly name: string;
  readonly plan: ProcessPlan;
  readonly #options: StartOptions;
  readonly #port: number;
  #running: RunningServer | undefined;

  private constructor(name: string, plan: ProcessPlan, port: number, options: StartOptions) {
    this.name = name;
    this.plan = plan;
    this.#port = port;
    const environment = {
      ...options.environment,
      ...plan.environment,
      ROLES: plan.roles.join(","),
      PORT: String(port),
    };
    this.#options = { ...options, environment, startLimitMs: START_LIMIT_MS };
  }

  static async create(name: string, plan: ProcessPlan, options: StartOptions): Promise<MusterProcess> {
    return new MusterProcess(name, plan, await freePort(), options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#running?.pid ?? 0;
  }

  /** Starts the process, again if it was killed. Returns the credentials that the very first start prints. */
  async start(): Promise<{ connectorId: string; secret: string }> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#running = await startServer(this.#options);
        return this.#running;
      } catch (error) {
        if (attempt === RESTART_ATTEMPTS) throw new Error(`${this.name} did not start.`, { cause: error });
        await sleep(1_000);
      }
    }
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  async stop(): Promise<void> {
    const limit = setTimeout(() => void this.#running?.kill(), STOP_LIMIT_MS);
    await this.#running?.stop();
    clearTimeout(limit);
  }
}
