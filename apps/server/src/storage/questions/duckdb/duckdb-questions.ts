import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { RESERVED_BYTES } from "../../../runtime/disk/disk-space.js";
import { type FileLock, takeFileLock } from "../../../runtime/disk/file-lock.js";
import type { EventsOfEvaluation } from "../projection.js";
import type { Questions } from "../questions.js";
import { duckdbAsking } from "./duckdb-asking.js";
import { duckdbComputing } from "./duckdb-computing.js";
import { duckdbEventFigures } from "./duckdb-event-figures.js";
import { duckdbExtracting } from "./duckdb-extracting.js";
import { duckdbInsights } from "./duckdb-insights.js";
import { duckdbMemberships } from "./duckdb-memberships.js";
import { duckdbProjection } from "./duckdb-projection.js";
import { Engine, type EngineOptions } from "./engine/engine.js";
import { EventColumns } from "./engine/event-columns.js";
import { type FilesOptions, OrganizationFiles } from "./engine/organization-files.js";
import type { TimesRules } from "./layout/event-times.js";
import { TimesKeeper } from "./times/times-keeper.js";

export interface DuckDbOptions extends Omit<EngineOptions, "spillFolder" | "reservedBytes">, FilesOptions {
  eventsOf: EventsOfEvaluation;
  /** When files get the times of events; other rules in tests. */
  timesRules?: TimesRules | undefined;
}

/** Opens the question engine inside this process: one DuckDB instance, with one file for each organization. */
export async function openDuckDbQuestions(options: DuckDbOptions): Promise<Questions> {
  const lock = await lockFolder(options.folder);
  const engine = await Engine.open({
    ...options,
    spillFolder: join(options.folder, "spill"),
    reservedBytes: RESERVED_BYTES / 2,
  }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const files = new OrganizationFiles(engine, options);
  const columns = new EventColumns({
    files,
    onError: (error, organizationId) =>
      options.onProblem(error, "columns for properties of events could not be filled", organizationId),
  });
  columns.start();
  const times = new TimesKeeper({
    engine,
    files,
    rules: options.timesRules,
    onError: (error, organizationId) =>
      options.onProblem(error, "the times of events could not be kept", organizationId),
  });
  times.start();
  return {
    ...duckdbProjection(files, options.eventsOf),
    ...duckdbAsking(files),
    ...duckdbMemberships(files),
    ...duckdbEventFigures(files),
    ...duckdbInsights(files),
    ...duckdbComputing(files),
    ...duckdbExtracting(engine, files),
    async ping() {
      await engine.rows({ sql: "select 1 as one", params: {} });
    },
    async version() {
      const [row] = await engine.rows<{ version: string }>({ sql: "select version() as version", params: {} });
      return `DuckDB ${row?.version.replace(/^v/, "") ?? ""}`;
    },
    eventColumns: async () => columns.list(),
    eventTimes: async () => times.list(),
    async close() {
      await Promise.all([columns.stop(), times.stop()]);
      await files.close();
      await engine.close();
      lock.release();
    },
  };
}

/**
 * DuckDB does not refuse a file that another thread of the same process has open, and then the two instances do not see
 * each other's writes. The lock belongs to the open file, so that it holds between threads too.
 */
async function lockFolder(folder: string): Promise<FileLock> {
  await mkdir(folder, { recursive: true });
  const lock = takeFileLock(join(folder, "engine.lock"));
  if ("holder" in lock) throw new Error(`The question engine in ${folder} is already open: by ${lock.holder}.`);
  return lock;
}
