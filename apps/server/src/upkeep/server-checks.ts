import type { HealthCheck } from "@muster/protocol/api/operations";
import type { ConnectorDirectory } from "../connectors/connector-directory.js";
import { circuitOf, deliveryState } from "../domain/delivery/delivery.js";
import type { BundledState } from "../outbound/bundled/bundled-connectors.js";
import { folderSize } from "../runtime/disk/folder-size.js";
import { ROLES } from "../runtime/settings/roles.js";
import { VERSION } from "../runtime/version.js";
import type { Database } from "../storage/postgres/database.js";
import { readDeliveryFigures } from "../storage/postgres/delivery/delivery-states.js";
import {
  type DatabaseSizes,
  readDatabaseSizes,
  readSchemaVersion,
} from "../storage/postgres/figures/database-sizes.js";
import { readWaitingStages, type WaitingStage } from "../storage/postgres/figures/server-figures.js";
import { listLiveHolders } from "../storage/postgres/leases/lease-holders.js";
import { listFailingStages } from "../storage/postgres/stage-problems.js";
import type { Questions } from "../storage/questions/questions.js";
import type { CertificateChecks } from "./certificate-checks.js";
import { type ConnectionFigures, checkConnections } from "./connection-checks.js";
import { good } from "./health-check.js";
import { MEASURED_LANES } from "./server-gauges.js";

export interface ServerChecksOptions {
  database: Database;
  questions: Pick<Questions, "version">;
  /** The folder of the embedded question engine; undefined when it is elsewhere. */
  questionsFolder: string | undefined;
  directory: Pick<ConnectorDirectory, "find">;
  /** The process of the connectors that come with Muster; undefined when this server does not run them. */
  bundled: { readonly state: BundledState } | undefined;
  connections: ConnectionFigures;
  certificates: CertificateChecks;
}

interface Sizes extends DatabaseSizes {
  questionsBytes: number | undefined;
}

const SECOND_MS = 1_000;
const LATE_MS = 60 * SECOND_MS;
const TABLES_SHOWN = 3;
const CONNECTORS_SHOWN = 5;
// Dashboards load the checks every few seconds. A size is read from every file of the database, and changes slowly.
const SIZES_FRESH_MS = 60 * SECOND_MS;

/** Checks of the whole server, for the people who run it: they tell about all organizations together. */
export class ServerChecks {
  readonly #options: ServerChecksOptions;
  #sizes: { read: Promise<Sizes>; at: number } | undefined;

  constructor(options: ServerChecksOptions) {
    this.#options = options;
  }

  /** Checks that need an unavailable engine are left out. The check of that engine reports it. */
  async run(): Promise<HealthCheck[]> {
    const checks = await Promise.allSettled([
      this.#checkVersions(),
      this.#checkProcesses(),
      this.#checkSizes(),
      checkConnections(this.#options.connections),
      this.#checkLags(),
      this.#checkStages(),
      this.#checkConnectors(),
      this.#options.certificates.run(Date.now()),
    ]);
    const answered = checks.flatMap((check) => (check.status === "fulfilled" ? check.value : []));
    return [...answered, ...checkBundled(this.#options.bundled?.state)];
  }

  async #checkVersions(): Promise<HealthCheck[]> {
    const { database, questions } = this.#options;
    const [{ version }, schema, engine] = await Promise.all([
      this.#readSizes(),
      readSchemaVersion(database),
      questions.version(),
    ]);
    const programs = `Muster ${VERSION} on Node.js ${process.versions.node}, PostgreSQL ${version}, ${engine}`;
    return [good("Versions", `${programs}. Schema ${schema}.`)];
  }

  /** Which processes work on the database, and which roles none of them has. */
  async #checkProcesses(): Promise<HealthCheck[]> {
    const holders = await listLiveHolders(this.#options.database);
    const names = holders
      .filter(({ roles }) => roles.length > 0)
      .map(({ host, roles }) => `${host} (${roles.join(", ")})`);
    const missing = ROLES.filter((role) => !holders.some(({ roles }) => roles.includes(role)));
    const message = `Running: ${names.join("; ")}.`;
    if (missing.length === 0) return [good("Processes", message)];
    return [
      {
        name: "Processes",
        status: "bad",
        message: `No running process has the role ${missing.join(", ")}. ${message}`,
        advice: `Start a process with ROLES=${missing.join(",")}. What it does waits until then.`,
      },
    ];
  }

  async #checkSizes(): Promise<HealthCheck[]> {
    const { bytes, tables, questionsBytes } = await this.#readSizes();
    const largest = tables.map((table) => `${table.name} ${sizeText(table.bytes)}`).join(", ");
    const engine = questionsBytes === undefined ? "" : ` DATA_DIR/questions has ${sizeText(questionsBytes)}.`;
    return [good("Sizes", `The database has ${sizeText(bytes)} (${largest}).${engine}`)];
  }

  #readSizes(): Promise<Sizes> {
    const now = performance.now();
    if (this.#sizes && now - this.#sizes.at < SIZES_FRESH_MS) return this.#sizes.read;
    const read = readSizes(this.#options);
    this.#sizes = { read, at: now };
    // A failed read is retried by the next check.
    read.catch(() => {
      this.#sizes = undefined;
    });
    return read;
  }

  async #checkLags(): Promise<HealthCheck[]> {
    const { apply, project } = await readWaitingStages(this.#options.database, MEASURED_LANES);
    return [
      checkLag("Lag of apply", apply, "Look at the load of PostgreSQL and its disk."),
      checkLag("Lag of search", project, "Look at the load of this machine: a large question may be running."),
    ];
  }

  async #checkStages(): Promise<HealthCheck[]> {
    const failing = await listFailingStages(this.#options.database);
    if (failing.length === 0) return [];
    const stages = [...new Set(failing.map(({ stage }) => stage))].join(" and ");
    const organizations = new Set(failing.map(({ organizationId }) => organizationId)).size;
    return [
      {
        name: "Stages",
        status: "bad",
        message: `The stage ${stages} fails, in ${organizations === 1 ? "1 organization" : `${organizations} organizations`}.`,
        advice: "The log of the server has the error, with the organization. Nothing is lost.",
      },
    ];
  }

  async #checkConnectors(): Promise<HealthCheck[]> {
    const { database, directory } = this.#options;
    const now = Date.now();
    const failing = (await readDeliveryFigures(database)).flatMap(({ connectorId, storedState }) => {
      const listed = directory.find(connectorId);
      const state = deliveryState(storedState);
      const isFailing = listed?.connector.enabled && circuitOf(state, now) !== "closed";
      return isFailing ? [{ ...listed, lastError: state.lastError }] : [];
    });
    const shown = failing.slice(0, CONNECTORS_SHOWN).map(
      ({ connector, namespace, lastError }): HealthCheck => ({
        name: `Connector ${connector.name} of ${namespace}`,
        status: "late",
        message: lastError ? `Calls fail: ${lastError}` : "Calls fail.",
        advice: `Look at its log: muster connector logs ${connector.id} --org ${namespace}. Messages wait.`,
      }),
    );
    const more = failing.length - shown.length;
    if (more > 0) {
      const advice = "The metric muster_connector_failures names them.";
      shown.push({ name: "Connectors", status: "late", message: `Calls to ${more} others fail too.`, advice });
    }
    return shown.length > 0 ? shown : [good("Connectors", "No connector fails.")];
  }
}

/** How the process is in which this server runs the connectors that come with it. */
function checkBundled(bundled: BundledState | undefined): HealthCheck[] {
  const name = "Bundled connectors";
  if (!bundled) return [good(name, "Switched off (BUNDLED_CONNECTORS).")];
  const { state, pid, lastEnd } = bundled;
  if (state === "stopped") return [good(name, "Not started: nobody has used one since the start.")];
  if (state !== "failing")
    return [good(name, `Running in process ${pid}.${lastEnd ? ` It was started again: ${lastEnd}` : ""}`)];
  const advice = "The log of the server has the reason. They are started again by themselves, and messages wait.";
  return [{ name, status: "bad", message: `They do not run. ${lastEnd}`, advice }];
}

async function readSizes({ database, questionsFolder }: ServerChecksOptions): Promise<Sizes> {
  const [sizes, questionsBytes] = await Promise.all([
    readDatabaseSizes(database, TABLES_SHOWN),
    questionsFolder === undefined ? undefined : folderSize(questionsFolder),
  ]);
  return { ...sizes, questionsBytes };
}

function checkLag(name: string, { since, rows }: WaitingStage, advice: string): HealthCheck {
  const waitsMs = since ? Math.max(0, Date.now() - since.getTime()) : 0;
  if (rows === 0) return good(name, "Nothing waits.");
  const batches = rows === 1 ? "1 batch waits" : `${rows.toLocaleString("en")} batches wait`;
  const message = `${batches}, the oldest for ${Math.round(waitsMs / SECOND_MS)} s.`;
  return waitsMs > LATE_MS ? { name, status: "late", message, advice } : good(name, message);
}

function sizeText(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
