import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClickHouseFront } from "../../../testing/clickhouse/clickhouse-front.js";
import { ADMIN_TOKEN } from "../chaos/operator.js";
import type { ServerAddress } from "../chaos/server-address.js";
import { MusterProcess, type ProcessPlan } from "../lib/muster-process.js";
import { type PostgresProcess, startPostgres } from "../lib/postgres-process.js";
import { NatsCluster } from "./nats-cluster.js";
import { openClickHouse } from "./open-clickhouse.js";

export interface ClusterOptions {
  /** The processes in the order in which they start. The first one creates the first organization. */
  processes: readonly ProcessPlan[];
  /** Whether the ingestion log is in JetStream. */
  hasNats: boolean;
  logFile?: number;
}

/** Several Muster processes over one PostgreSQL, one ClickHouse and, if wanted, three NATS servers. */
export class Cluster implements ServerAddress {
  readonly folder: string;
  readonly processes: MusterProcess[] = [];
  postgres: PostgresProcess | undefined;
  clickhouse: ClickHouseFront | undefined;
  nats: NatsCluster | undefined;
  connectorId = "";
  secret = "";
  readonly #turns = new Map<string, number>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(join(tmpdir(), "muster-cluster-")));
    try {
      await cluster.#open(options);
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** The processes with the role take turns. */
  get gatewayUrl(): string {
    return this.#nextWith("gateway").url;
  }

  get apiUrl(): string {
    return this.#nextWith("api").url;
  }

  ofKind(kind: string): MusterProcess[] {
    return this.processes.filter(({ plan }) => plan.kind === kind);
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
    await this.nats?.stop();
    await this.clickhouse?.stop();
    await this.postgres?.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #open({ processes, hasNats, logFile }: ClusterOptions): Promise<void> {
    this.postgres = await startPostgres(join(this.folder, "postgres"));
    this.clickhouse = await openClickHouse(join(this.folder, "clickhouse"));
    if (hasNats) this.nats = await NatsCluster.open(this.folder);
    const files = join(this.folder, "files");
    await mkdir(files);
    const shared = {
      MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
      SECRET_KEY: randomBytes(32).toString("hex"),
      DATABASE_URL: this.postgres.url,
      CLICKHOUSE_URL: this.clickhouse.url,
      ...(this.nats ? { NATS_URL: this.nats.url } : {}),
    };
    const counts = new Map<string, number>();
    for (const plan of processes) {
      const count = (counts.get(plan.kind) ?? 0) + 1;
      counts.set(plan.kind, count);
      const name = `${plan.kind}-${count}`;
      const dataDir = join(this.folder, name);
      // A worker writes the files of jobs and an API process hands them out, so their folder must be the same.
      await mkdir(join(dataDir, "files"), { recursive: true });
      await symlink(files, join(dataDir, "files", "kept"));
      const options = { dataDir, environment: shared, ...(logFile === undefined ? {} : { logFile }) };
      this.processes.push(await MusterProcess.create(name, plan, options));
    }
    const [first, ...others] = this.processes;
    if (!first) throw new Error("A cluster needs a process.");
    const { connectorId, secret } = await first.start();
    this.connectorId = connectorId;
    this.secret = secret;
    await Promise.all(others.map((one) => one.start()));
  }

  #nextWith(role: string): MusterProcess {
    const able = this.processes.filter(({ plan }) => plan.roles.includes(role));
    const turn = this.#turns.get(role) ?? 0;
    this.#turns.set(role, turn + 1);
    const chosen = able[turn % able.length];
    if (!chosen) throw new Error(`No process has the role ${role}.`);
    return chosen;
  }
}
