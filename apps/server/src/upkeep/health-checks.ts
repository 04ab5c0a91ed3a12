import type { HealthCheck } from "@muster/protocol/api/operations";
import type { CallPermit } from "../deliveries/sending/call-permit.js";
import type { Problems } from "../pipeline/problems.js";
import type { DiskSpace } from "../runtime/disk/disk-space.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import type { TruncatedStream } from "../storage/ingest-log/log-home.js";
import { listTruncated } from "../storage/ingest-log/postgres/log-streams.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import type { ServerChecks } from "./server-checks.js";

export interface HealthChecksOptions {
  database: Database;
  questions: Pick<Questions, "ping">;
  /** The ingestion log in NATS; undefined when there is none. */
  natsLog: Pick<IngestionLog, "ping"> | undefined;
  disk: DiskSpace;
  problems: Problems;
  callPermit: CallPermit;
  publicUrl: () => string;
  canMail: boolean;
  server: ServerChecks;
}

const SECOND_MS = 1_000;
const GIGABYTE = 1024 ** 3;
const SLOW_MS = 500;
const CLOCKS_APART_MS = 2 * SECOND_MS;
/** A tenth of a disk gives an operator days to act. */
const LITTLE_SPACE = 0.1;

/** Looks at everything that the server needs, and says what to do where something is wrong. */
export class HealthChecks {
  readonly #options: HealthChecksOptions;

  constructor(options: HealthChecksOptions) {
    this.#options = options;
  }

  /** `isOperator`: also what concerns the whole server, which tells about other organizations. */
  async run(organizationId: string, { isOperator }: { isOperator: boolean }): Promise<HealthCheck[]> {
    const checks = await Promise.all([
      this.#checkPostgres(),
      this.#checkQuestions(),
      this.#checkNats(),
      this.#checkDisk(),
      this.#checkPipeline(organizationId),
      this.#checkDeliveries(),
      isOperator ? this.#options.server.run() : [],
    ]);
    return [...checks.flat(), this.#checkAddress(), this.#checkMail()];
  }

  async #checkPostgres(): Promise<HealthCheck[]> {
    const name = "PostgreSQL";
    try {
      const before = Date.now();
      const started = performance.now();
      const { rows } = await this.#options.database.query<{ now: Date }>("select clock_timestamp() as now");
      const took = performance.now() - started;
      const apart = Math.abs((rows[0]?.now.getTime() ?? before) - before - took / 2);
      const clocks: HealthCheck =
        apart < CLOCKS_APART_MS
          ? { name: "Clocks", status: "good", message: "The clocks of the server and the database agree.", advice: "" }
          : {
              name: "Clocks",
              status: "bad",
              message: `The clocks of the server and the database are ${Math.round(apart / SECOND_MS)} s apart.`,
              advice: "Synchronise the clocks of both machines, for example with chrony.",
            };
      return [answered(name, took, "Look at the load of the database machine."), clocks];
    } catch {
      return [silent(name, "Look whether it runs and whether DATABASE_URL is right. Accepted records are not lost.")];
    }
  }

  async #checkQuestions(): Promise<HealthCheck> {
    const name = "Question engine";
    try {
      const started = performance.now();
      await this.#options.questions.ping();
      return answered(name, performance.now() - started, "A large question may be running: look again in a minute.");
    } catch {
      return silent(name, "Restart the server. If it stays away, remove its folder: the server fills it again.");
    }
  }

  async #checkNats(): Promise<HealthCheck[]> {
    const { natsLog } = this.#options;
    if (!natsLog) return [];
    const name = "NATS";
    try {
      const truncated = await listTruncated(this.#options.database, { inUse: true });
      if (truncated.length > 0) return truncated.map((stream) => lostItsEnd(name, stream));
      const started = performance.now();
      await natsLog.ping();
      return [answered(name, performance.now() - started, "Look at the load of the machines of NATS.")];
    } catch {
      return [silent(name, "Look whether it runs and whether NATS_URL is right. Senders are told to come again.")];
    }
  }

  async #checkDisk(): Promise<HealthCheck> {
    const { freeBytes, totalBytes, isLow } = await this.#options.disk.look();
    const message = `${(freeBytes / GIGABYTE).toFixed(1)} of ${(totalBytes / GIGABYTE).toFixed(1)} GB are free.`;
    if (isLow) {
      return { name: "Disk", status: "bad", message, advice: "Free space at once: no new records are accepted." };
    }
    if (freeBytes < totalBytes * LITTLE_SPACE) {
      return { name: "Disk", status: "late", message, advice: "Enlarge the disk, or keep logs for fewer days." };
    }
    return { name: "Disk", status: "good", message, advice: "" };
  }

  async #checkPipeline(organizationId: string): Promise<HealthCheck[]> {
    const problems = await this.#options.problems.list(organizationId);
    if (problems.length === 0) {
      return [{ name: "Pipeline", status: "good", message: "Every stage works, and every segment.", advice: "" }];
    }
    return problems.map(({ kind, name, message }) => ({
      name: kind === "stage" ? `Stage ${name}` : `Segment ${name}`,
      status: kind === "stage" ? "bad" : "late",
      message,
      advice:
        kind === "stage"
          ? "The log of the server has the error. Nothing is lost: the stage goes on where it stopped."
          : "Edit the query of the segment. It keeps its members until then.",
    }));
  }

  async #checkDeliveries(): Promise<HealthCheck> {
    const name = "Deliveries";
    const held = await this.#options.callPermit.held().catch(() => undefined);
    if (!held) return { name, status: "good", message: "Connectors are called.", advice: "" };
    return {
      name,
      status: "late",
      message: `No connector is called since the restore of a backup of ${held.backupOf.toISOString()}.`,
      advice: "When the server of the backup is stopped for good, run `muster restore --resume-deliveries`.",
    };
  }

  #checkAddress(): HealthCheck {
    const address = this.#options.publicUrl();
    const { protocol, hostname } = new URL(address);
    const isLocal = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "::1";
    if (protocol === "https:" || isLocal) {
      return { name: "Address", status: "good", message: `Clients use ${address}.`, advice: "" };
    }
    return {
      name: "Address",
      status: "late",
      message: `Clients use ${address}, without encryption.`,
      advice: "Set TLS_CERT_FILE and TLS_KEY_FILE, or PUBLIC_URL to the https address of a proxy.",
    };
  }

  #checkMail(): HealthCheck {
    return this.#options.canMail
      ? { name: "Mail", status: "good", message: "Mail can be sent.", advice: "" }
      : {
          name: "Mail",
          status: "good",
          message: "No mail is sent: links of invitations are handed over by hand.",
          advice: "Set SMTP_URL to send them by mail.",
        };
  }
}

function lostItsEnd(
  name: string,
  { name: stream, known, found, organizations }: TruncatedStream & { organizations: number },
): HealthCheck {
  return {
    name,
    status: "bad",
    message: `The stream ${stream} ended at ${found} although ${known} was given. Batches of ${organizations} organizations are refused.`,
    advice: "Run `muster log renew --all`: all that is left is applied, and new streams take the next batches.",
  };
}

function answered(name: string, tookMs: number, adviceWhenSlow: string): HealthCheck {
  const isSlow = tookMs > SLOW_MS;
  return {
    name,
    status: isSlow ? "late" : "good",
    message: `It answered in ${tookMs < 1 ? "less than 1" : Math.round(tookMs)} ms.`,
    advice: isSlow ? adviceWhenSlow : "",
  };
}

function silent(name: string, advice: string): HealthCheck {
  return { name, status: "bad", message: "It does not answer.", advice };
}
