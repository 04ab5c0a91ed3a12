import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MusterProcess } from "../lib/muster-process.js";
import { type PostgresProcess, startPostgres } from "../lib/postgres-process.js";
import { ADMIN_TOKEN } from "./operator.js";
import type { ServerAddress } from "./server-address.js";

const WORKING_ROLES = ["api", "worker", "deliver", "jobs"];

/**
 * A server, and another one that takes over when the first is suspended, on one PostgreSQL. Each has its own embedded
 * question engine, so the second one can start only after the leases of the first have expired. A third process has the
 * gateway, which acknowledges meanwhile.
 */
export class ServerPair implements ServerAddress {
  readonly folder: string;
  readonly postgres: PostgresProcess;
  readonly first: MusterProcess;
  readonly second: MusterProcess;
  readonly #gateway: MusterProcess;
  connectorId = "";
  secret = "";
  /** The one that clients call. */
  #called: MusterProcess;

  private constructor(
    folder: string,
    postgres: PostgresProcess,
    { first, second, gateway }: Record<"first" | "second" | "gateway", MusterProcess>,
  ) {
    this.folder = folder;
    this.postgres = postgres;
    this.first = first;
    this.second = second;
    this.#gateway = gateway;
    this.#called = first;
  }

  static async open(logFile: number): Promise<ServerPair> {
    const folder = await mkdtemp(join(tmpdir(), "muster-pair-"));
    const postgres = await startPostgres(join(folder, "postgres"));
    const files = join(folder, "files");
    await mkdir(files);
    const environment = {
      MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
      SECRET_KEY: randomBytes(32).toString("hex"),
      DATABASE_URL: postgres.url,
      ALLOW_PRIVATE_NETWORK: "true",
    };
    const preload = new URL("./suspend-preload.js", import.meta.url);
    const create = async (name: string, roles: string[]) => {
      const dataDir = join(folder, name);
      // Whoever goes on with a job finds the files of the other.
      await mkdir(join(dataDir, "files"), { recursive: true });
      await symlink(files, join(dataDir, "files", "kept"));
      return MusterProcess.create(name, { kind: name, roles }, { dataDir, environment, preload, logFile });
    };
    const pair = new ServerPair(folder, postgres, {
      first: await create("first", WORKING_ROLES),
      second: await create("second", WORKING_ROLES),
      gateway: await create("gateway", ["gateway"]),
    });
    try {
      Object.assign(pair, credentialsOf(await pair.first.start()));
      await pair.#gateway.start();
    } catch (error) {
      await pair.close();
      throw error;
    }
    return pair;
  }

  get gatewayUrl(): string {
    return this.#gateway.url;
  }

  get apiUrl(): string {
    return this.#called.url;
  }

  suspend(): void {
    process.kill(this.first.pid, "SIGSTOP");
  }

  resume(): void {
    process.kill(this.first.pid, "SIGCONT");
  }

  /** Starts the second server, which clients call from then on. */
  async takeOver(): Promise<void> {
    await this.second.start();
    this.#called = this.second;
  }

  async close(): Promise<void> {
    // A process that is suspended does not end.
    if (this.first.pid !== 0) await this.first.kill();
    await Promise.all([this.second.stop(), this.#gateway.stop()]);
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function credentialsOf({ connectorId, secret }: { connectorId: string; secret: string }) {
  return { connectorId, secret };
}
